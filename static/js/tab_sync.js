// Adds turns that another window or device has added to the conversation.
import { log, newestTurn } from "./turns.js";

const channel = new BroadcastChannel("tab-sync");
export const notifyOtherTabs = () => channel.postMessage(location.pathname);

const fetchMissedTurns = () => {
  const turn = newestTurn();
  const form = document.querySelector(".composer [hx-post]");
  if (!turn || !form || document.hidden) return;
  htmx.ajax("GET", `${form.action}?seen=${turn.dataset.turn}`, { source: log, target: log, swap: "beforeend" });
};
channel.addEventListener("message", ({ data }) => { if (data === location.pathname) fetchMissedTurns(); });
document.addEventListener("visibilitychange", fetchMissedTurns);
// Do not insert a turn that is already on the page.
document.addEventListener("htmx:before:swap", ({ detail: { tasks } }) => {
  for (const { fragment, swapSpec } of tasks) {
    for (const turn of fragment.querySelectorAll(".turn")) {
      if (swapSpec?.style === "beforeend" && document.getElementById(turn.id)) turn.remove();
    }
  }
});
