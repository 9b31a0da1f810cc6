// The list of keyboard shortcuts, in a dialog.
import { fetchFragment } from "./requests.js";

export const openShortcuts = async (url, fromMenu) => {
  const html = await fetchFragment(url);
  const existing = document.querySelector("dialog");
  if (existing?.open) return;  // the shortcut was pressed twice
  existing?.remove();  // a closed dialog stays in the DOM for a frame
  const dialog = document.createElement("dialog");
  dialog.className = "shortcuts-dialog";
  dialog.innerHTML = html;
  dialog.setAttribute("aria-labelledby", "keyboard");
  dialog.addEventListener("close", () => {
    dialog.remove();
    // The menu that contains the link has closed: focus the button of the menu.
    if (fromMenu) document.querySelector(".site-header__more").focus();
  });
  document.body.append(dialog);
  // Show the dialog when the style sheet in the fragment has loaded.
  const style = dialog.querySelector("link");
  style.onload = style.onerror = () => document.querySelector("dialog")?.showModal();
};
