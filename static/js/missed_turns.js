// Missed turns: those that another window or device has added to the conversation.
import { channel } from "./tabs.js";
import { log, newestTurn } from "./turns.js";

export const fetchMissedTurns = () => {
  const turn = newestTurn();
  const form = document.querySelector(".composer [hx-post]");
  if (!turn || !form || document.hidden) return;
  const title = document.getElementById("conversation-title").textContent;
  const query = new URLSearchParams({ seen: turn.dataset.turn, title });
  htmx.ajax("GET", `${form.action}?${query}`, { source: log, target: log, swap: "beforeend" });
};
channel.addEventListener("message", ({ data }) => { if (data === location.pathname) fetchMissedTurns(); });
document.addEventListener("visibilitychange", fetchMissedTurns);
// Insert each turn once, at its place. After a gap, fetch the turns that another window has added.
const position = (turn) => Number(turn.getAttribute("aria-labelledby").slice(1));
document.addEventListener("htmx:before:swap", ({ detail: { tasks } }) => {
  for (const { fragment, swapSpec } of tasks) {
    if (swapSpec?.style !== "beforeend" || !newestTurn()) continue;
    let newest = position(newestTurn());
    for (const turn of fragment.querySelectorAll(".turn")) {
      if (document.getElementById(turn.id)) {
        turn.remove();
      } else if (position(turn) < newest) {
        [...log.querySelectorAll(".turn")].find((other) => position(other) > position(turn)).before(turn);
        htmx.process(turn);
      } else {
        if (position(turn) > newest + 1) fetchMissedTurns();
        newest = position(turn);
      }
    }
  }
});
