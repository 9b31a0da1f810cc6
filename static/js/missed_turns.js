// Missed turns: those that another window or device has added to the conversation.
import { channel } from "./tabs.js";
import { log, newestTurn } from "./turns.js";

const position = (turn) => Number(turn.querySelector(".turn__reply").id.slice(1));
const slot = (turn) => Number(turn.getAttribute("aria-labelledby").slice(1));

export const fetchMissedTurns = () => {
  const turn = newestTurn();
  const form = document.querySelector(".composer [hx-post]");
  if (!turn || !form || document.hidden) return;
  const title = document.getElementById("conversation-title").textContent;
  // The page may show an earlier version of its last turn.
  const seen = Math.max(position(turn), log.dataset.newest ?? 0);
  const query = new URLSearchParams({ seen, title });
  htmx.ajax("GET", `${form.action}?${query}`, { source: log, target: log, swap: "beforeend" });
};
channel.addEventListener("message", ({ data }) => { if (data === location.pathname) fetchMissedTurns(); });
document.addEventListener("visibilitychange", fetchMissedTurns);
// Show a new version, which the next message follows. An open form moves there, unless it sent the version.
const replaceVersion = (old, turn, source) => {
  const form = old.querySelector(".edit");
  old.replaceWith(turn);
  if (form && form !== source) turn.querySelector(".turn__message").append(form);
  document.querySelector(".composer [name=follows]")?.remove();
  if (new URLSearchParams(location.search).has("turn")) history.replaceState(history.state, "", location.pathname);
};
// Insert each turn once, in its slot, instead of an earlier version. After a gap, fetch the turns that another window
// has added.
document.addEventListener("htmx:before:swap", ({ detail: { tasks, ctx } }) => {
  for (const { fragment, swapSpec } of tasks) {
    if (swapSpec?.style !== "beforeend" || !newestTurn()) continue;
    let newest = slot(newestTurn());
    for (const turn of fragment.querySelectorAll(".turn")) {
      const next = [...log.querySelectorAll(".turn")].find((other) => slot(other) >= slot(turn));
      if (!next) {
        if (slot(turn) > newest + 1) fetchMissedTurns();
        newest = slot(turn);
      } else if (slot(next) === slot(turn) && position(next) >= position(turn)) {
        turn.remove();
      } else {
        if (slot(next) > slot(turn)) next.before(turn);
        else replaceVersion(next, turn, ctx.sourceElement);
        htmx.process(turn);
      }
    }
  }
});
