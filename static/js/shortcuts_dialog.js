// The list of keyboard shortcuts, in a dialog.
import { fetchFragment } from "./requests.js";

export const openShortcuts = async (url, fromMenu) => {
  const words = await fetchFragment(url);
  const there = document.querySelector("dialog");
  if (there?.open) return;  // the shortcut was pressed twice
  there?.remove();  // a closed dialog stays in the DOM for a frame
  const sheet = document.createElement("dialog");
  sheet.className = "shortcuts-dialog";
  sheet.innerHTML = words;
  sheet.setAttribute("aria-labelledby", "keyboard");
  sheet.addEventListener("close", () => {
    sheet.remove();
    // The menu that contains the link has closed: focus the button of the menu.
    if (fromMenu) document.querySelector(".site-header__more").focus();
  });
  document.body.append(sheet);
  // Show the dialog when the style sheet in the fragment has loaded.
  const style = sheet.querySelector("link");
  style.onload = style.onerror = () => document.querySelector("dialog")?.showModal();
};
