// Runs on every page. Scripts are optional: every page works without them.
import "./old_browsers.js";
import "./requests.js";
import "./composer.js";
import "./composer_requests.js";
import "./keys.js";
import "./dialog_links.js";
import "./clipboard.js";
import "./menus.js";
import "./preferences.js";
import "./selection.js";
import { announce } from "./announcements.js";
import { messages } from "./messages.js";
import { afterPaint, deleteDrafts, deleteSharedDraft } from "./storage.js";
import { channel } from "./tabs.js";

document.documentElement.classList.add("scripts");
// Without htmx, the page still needs the links for browsers without scripts.
document.querySelector("script[defer]")?.addEventListener("error", () => {
  document.documentElement.classList.remove("scripts");
});

// A page from the back/forward cache may wait for a response that went to the next page: load it again.
addEventListener("pageshow", ({ persisted }) => {
  if (persisted && document.querySelector(".htmx-request")) location.reload();
});

// The server formats the times of the next page in this time zone (twindow/web/i18n/timezone.py). Browsers without
// Temporal use Intl, whose first use takes more than 10 ms.
afterPaint(() => {
  const zone = globalThis.Temporal?.Now.timeZoneId() ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
  document.cookie = `zone=${zone};path=/;max-age=31536000`;
});

document.addEventListener("click", ({ target }) => {
  if (!target.closest("[data-close-toast]")) return;
  target.closest(".toast").remove();
  document.documentElement.classList.remove("has-toast");
  document.getElementById("message")?.focus();
});
// A toast that has the focus is read by screen readers anyway.
afterPaint(() => {
  const toast = document.querySelector(".toast");
  if (!toast) return;
  document.documentElement.classList.add("has-toast");
  if (toast !== document.activeElement) announce(toast.querySelector("span").textContent);
});

// Remove the parameters of the action notice from the URL, so that a reload does not repeat it.
const pageUrl = new URL(location);
const completedAction = pageUrl.searchParams.get("done");
if (completedAction) {
  const paths = pageUrl.searchParams.getAll("conversation").map((id) => `/conversations/${id}`);
  for (const name of ["done", "conversation"]) pageUrl.searchParams.delete(name);
  history.replaceState(history.state, "", pageUrl);
  for (const path of paths) channel.postMessage(path);
  if (completedAction === "deleted") afterPaint(() => paths.forEach(deleteSharedDraft));
}

document.addEventListener("submit", (event) => {
  // Search runs while typing: do not submit the form as well.
  if (event.target.role === "search") event.preventDefault();
  if (event.target.action.endsWith("/session/deletion")) deleteDrafts();
});

// The CSS countdown ends with an animation that shows the button.
document.addEventListener("animationend", ({ animationName, target }) => {
  if (animationName === "show-after-wait" && target.checkVisibility()) announce(messages.waitOver);
});
