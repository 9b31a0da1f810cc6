// The list in the sidebar keeps its place from page to page, and shows the row of the open conversation.
import { sessionStore } from "./storage.js";

const sidebar = document.getElementById("sidebar");
const list = sidebar?.querySelector(".sidebar__recent");
const PLACE = "sidebar";
let place = sessionStore.get(PLACE) || 0;
const restorePlace = () => {
  sidebar.scrollTop = list.scrollTop = place;  // in a window of small height, the whole sidebar scrolls
  list.querySelector("#recent [aria-current]")?.scrollIntoView({ block: "nearest" });
};
const keepPlace = () => {
  if (sidebar.checkVisibility()) place = list.scrollTop + sidebar.scrollTop;
};
if (sidebar) {
  requestAnimationFrame(restorePlace);  // before the next paint, which needs a layout anyway
  // A closed drawer has no place.
  sidebar.addEventListener("beforetoggle", ({ newState }) => {
    if (newState === "open") requestAnimationFrame(restorePlace);
    else keepPlace();
  });
  addEventListener("pagehide", () => {
    keepPlace();
    sessionStore.set(PLACE, place);
  });
}
