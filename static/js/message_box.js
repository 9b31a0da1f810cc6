// The message box: its elements, its height, and the counter of characters.
import { announce } from "./announcements.js";

export const textarea = () => document.getElementById("message");
export const givenText = () => textarea()?.defaultValue ?? "";
export const picker = () => document.querySelector(".picker select");
export const editedTurn = () => textarea()?.form.elements.edited?.value ?? "";

// Firefox before 152 and Safari before 26.2 have no `field-sizing`.
const growsByItself = CSS.supports("field-sizing: content");
export const fitBox = (box = textarea()) => {
  if (growsByItself) return;
  box.style.blockSize = "auto";
  box.style.blockSize = `${box.scrollHeight}px`;
};
export const updateCounter = () => {
  fitBox();
  const { limit } = textarea().dataset;
  const left = limit - [...textarea().value].length;  // counts code points, as the server does
  const shown = document.querySelector(".counter");
  const template = left < 0 ? shown.dataset.overLimitText : left < limit / 10 ? shown.dataset.remainingText : "";
  // Latin digits, as on the rest of the page. The first use of a locale takes 20 ms: format only a shown number.
  const locale = `${document.documentElement.lang}-u-nu-latn`;
  shown.textContent = template.replace("{}", () => Math.abs(left).toLocaleString(locale));
  const changed = shown.classList.toggle("counter--over", left < 0) !== (textarea().ariaInvalid === "true");
  textarea().ariaInvalid = left < 0 ? "true" : null;
  if (changed && !document.querySelector(".composer [role=alert]")) announce(shown.textContent);
  return left;
};
