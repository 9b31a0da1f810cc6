// Runs on every page. Scripts are optional: every page works without them.
import "./requests.js";
import "./composer.js";
import "./menus.js";
import "./copy.js";
import { announce } from "./announcements.js";
import { messages } from "./messages.js";
import { afterPaint, deleteSharedDraft } from "./storage.js";

document.documentElement.classList.add("scripts");
// Without htmx, the page still needs the links for browsers without scripts.
document.querySelector("script[defer]")?.addEventListener("error", () => document.documentElement.classList.remove("scripts"));

// The server formats the times of the next page in this time zone (web/i18n/timezone.py). Browsers without
// Temporal use Intl, whose first use takes more than 10 ms.
afterPaint(() => {
  const zone = globalThis.Temporal?.Now.timeZoneId() ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
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
