// Runs on every page. Scripts are optional: every page works without them.
import "./requests.js";
import "./composer.js";
import "./menus.js";
import "./copy.js";
import { announce } from "./announcements.js";
import { messages } from "./messages.js";
import { afterPaint, deleteSharedDraft, localStore } from "./storage.js";

document.documentElement.classList.add("scripts");
// Without htmx, the page still needs the links for browsers without scripts.
document.querySelector("script[defer]")?.addEventListener("error", () => document.documentElement.classList.remove("scripts"));

// The server formats the times of the next page in this time zone (web/i18n/timezone.py). The first use of Intl
// takes 20 ms, so find the time zone again only when the UTC offset has changed.
afterPaint(() => {
  const offset = String(new Date().getTimezoneOffset());
  let [knownOffset, zone] = localStore.get("zone").split(" ");
  if (knownOffset !== offset) {
    zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
    localStore.set("zone", `${offset} ${zone}`);
  }
  document.cookie = `zone=${zone};path=/;max-age=31536000`;
});

// Remove the parameters of the action notice from the URL, so that a reload does not repeat it.
const here = new URL(location);
const { done: completedAction, of: completedActionId } = Object.fromEntries(here.searchParams);
if (completedAction) {
  for (const name of ["done", "of"]) here.searchParams.delete(name);
  history.replaceState(history.state, "", here);
}
if (completedAction === "deleted") afterPaint(() => deleteSharedDraft(`/conversations/${completedActionId}`));

// Search runs while typing: do not submit the form as well.
document.addEventListener("submit", (event) => { if (event.target.role === "search") event.preventDefault(); });

// The CSS countdown ends with an animation that shows the button.
document.addEventListener("animationend", ({ animationName, target }) => {
  if (animationName === "show-after-wait" && target.checkVisibility()) announce(messages.over);
});
