// Pages that open in a dialog: the keyboard shortcuts and the search.
import { fetchFragment } from "./requests.js";

const RESULTS = ".search-view :is(.search-view__links, .links) a, .search-view .rows > li > a";

// These elements are inert outside of an open dialog, so they move into it and back.
const SPEAKING = document.querySelectorAll("#notices, #announcer");

// Open the fragment of a URL. `returnTo` gets the focus when the dialog closes; by default, the browser decides.
export const openDialog = async (url, className, returnTo) => {
  const html = await fetchFragment(url);
  const existing = document.querySelector("dialog");
  if (existing?.open) return;  // it was opened twice
  existing?.remove();  // a closed dialog stays in the DOM for a frame
  const dialog = document.createElement("dialog");
  dialog.className = `dialog ${className}`;
  dialog.innerHTML = html;
  dialog.setAttribute("aria-labelledby", "dialog-title");
  const places = [...SPEAKING].map((element) => {
    const place = new Comment();
    element.replaceWith(place);
    return place;
  });
  dialog.append(...SPEAKING);
  dialog.addEventListener("close", () => {
    places.forEach((place, index) => place.replaceWith(SPEAKING[index]));
    dialog.remove();
    returnTo?.focus();
  });
  // A click on the backdrop is a click on the dialog itself.
  dialog.addEventListener("click", ({ target }) => { if (target === dialog) dialog.close(); });
  document.body.append(dialog);
  globalThis.htmx?.process(dialog);
  // Show the dialog when the style sheet in the fragment has loaded.
  const style = dialog.querySelector("link");
  style.onload = style.onerror = () => document.querySelector("dialog")?.showModal();
};

// Enter opens the first result, when the results are those of the text in the field.
const openFirstResult = (dialog) => dialog.querySelector(RESULTS)?.click();
document.addEventListener("keydown", (event) => {
  const field = event.target.matches(".dialog--search [type=search]") && event.key === "Enter" && event.target;
  if (!field) return;
  event.preventDefault();
  const dialog = field.closest("dialog");
  const isCurrent = dialog.querySelector(".search-view").dataset.query === field.value.trim();
  if (isCurrent) openFirstResult(dialog);
  else document.addEventListener("htmx:after:swap", () => openFirstResult(dialog), { once: true });
});
// Esc closes the search, even if the field has text that the browser would clear.
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !event.target.matches(".dialog--search [type=search]")) return;
  event.preventDefault();
  event.target.closest("dialog").close();
});
// Arrow keys go through the field and the results of the search.
document.addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const dialog = step && document.querySelector(".dialog--search[open]");
  if (!dialog) return;
  const places = [dialog.querySelector("[type=search]"), ...dialog.querySelectorAll(RESULTS)];
  const next = places[places.indexOf(document.activeElement) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
});
