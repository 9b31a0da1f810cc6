// Runs on every page: menus, and what the page remembers. Scripts are optional: every page
// works without them.
import "./requests.js";
import "./composer.js";
import "./copying.js";
import { messages } from "./messages.js";
import { announce, channel, updateRecent } from "./page.js";
import { afterPaint, deleteDrafts, deleteSharedDraft, localStore } from "./storage.js";

// Close an open menu on Escape, on a click outside, and on a click on a link or Print in the menu.
const open = () => document.querySelector(".menu[open]");
document.addEventListener("keydown", (event) => {
  const menu = event.key === "Escape" && open();
  if (!menu) return;
  event.preventDefault(); // Escape only closes the menu
  menu.open = false;
  menu.querySelector("summary").focus();
});
document.addEventListener("click", ({ target }) => {
  const menu = open();
  if (!menu || (menu.contains(target) && !target.closest("a, [data-print]"))) return;
  menu.open = false;
  if (menu.contains(target)) menu.querySelector("summary").focus();
  if (target.matches("[data-print]")) print();
});
// An open menu is in view: below its button, or above it if there is no room.
const EDGE_PX = 8;
const placeMenu = () => {
  const form = open()?.querySelector("form");
  if (!form) return;
  const { top, bottom, left, right } = open().querySelector("summary").getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = form;
  const { clientWidth, clientHeight, dir } = document.documentElement;
  const [lastX, lastY] = [clientWidth - width - EDGE_PX, clientHeight - height - EDGE_PX];
  // The menu of a row of the sidebar covers the page, not the sidebar.
  const x = (dir === "rtl") === Boolean(form.closest(".sidebar")) ? right - width : left;
  const y = bottom <= lastY ? bottom : Math.min(top - height, lastY);
  form.style.left = `${Math.max(EDGE_PX, Math.min(x, lastX))}px`;
  form.style.top = `${Math.max(EDGE_PX, y)}px`;
};
for (const event of ["toggle", "scroll", "resize"]) addEventListener(event, placeMenu, true);
// Pressing Rename with an unchanged title focuses the title field instead of submitting it.
document.addEventListener("click", (event) => {
  const title = event.target.matches(".menu__title button") && event.target.form.elements.title;
  if (!title || title.value !== title.defaultValue) return;
  event.preventDefault();
  title.focus();
  title.select();
});

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
const { done: completedAction, conversation: completedActionId } = Object.fromEntries(pageUrl.searchParams);
if (completedAction) {
  for (const name of ["done", "conversation", "changed"]) pageUrl.searchParams.delete(name);
  history.replaceState(history.state, "", pageUrl);
}
if (completedAction === "deleted") afterPaint(() => deleteSharedDraft(`/conversations/${completedActionId}`));

// The list in the sidebar follows other tabs and devices, and the date.
document.addEventListener("visibilitychange", updateRecent);
channel.addEventListener("message", updateRecent);
if (completedAction) channel.postMessage(`/conversations/${completedActionId}`);

// After signing out in one tab, the others load again, which shows the sign-in page.
const SIGNED_OUT = "signed-out";
if (pageUrl.searchParams.has("signed_out")) localStore.set(SIGNED_OUT, Date.now());
addEventListener("storage", ({ key }) => { if (key === SIGNED_OUT) location.reload(); });

document.addEventListener("submit", (event) => {
  // Search runs while typing: do not submit the form as well.
  if (event.target.role === "search") event.preventDefault();
  if (event.target.action.endsWith("/session/deletion")) deleteDrafts();
});

// The CSS countdown ends with an animation that shows the button.
document.addEventListener("animationend", ({ animationName, target }) => {
  if (animationName === "show-after-wait" && target.checkVisibility()) announce(messages.waitOver);
});
