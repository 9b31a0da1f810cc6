// Links that lead to pages; with scripts, a dialog opens instead.
import { reportUnreachable } from "./requests.js";
import { letter } from "./shortcuts.js";

const openInDialog = async (link, className) => {
  // The search page has the field itself.
  const field = className === "dialog--search" && document.querySelector("main .search--all input");
  if (field) return field.focus();
  // A link in a menu that closes cannot get the focus back: its button gets it.
  const returnTo = link.checkVisibility() && link.closest("#more") ? document.getElementById("more-button") : undefined;
  try {
    const { openDialog } = await import("./dialogs.js");
    for (const popover of document.querySelectorAll(":popover-open")) popover.hidePopover();
    await openDialog(link.href, className, returnTo);
  } catch {
    if (navigator.onLine) location.assign(link.href);
    else reportUnreachable(link);
  }
};
for (const [id, className] of [["shortcuts-link", "dialog--shortcuts"], ["to-search", "dialog--search"]]) {
  const link = document.getElementById(id);
  link?.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    openInDialog(link, className);
  });
}
addEventListener("keydown", (event) => {
  const key = letter(event).toLowerCase();
  if (!["b", "k"].includes(key) || event.altKey || event.shiftKey || !(event.ctrlKey || event.metaKey)) return;
  const link = document.getElementById("to-search");
  if (!link || document.querySelector("dialog[open]")) return;
  event.preventDefault();
  if (key === "k") link.click();
  else dispatchEvent(new Event("sidebar-key"));
});
