// Restores the focus when the focused element was removed, so that the person can continue to type.
// On touch devices the Send or Stop button gets it instead of the box, which would open the keyboard.
import { RUNNING_TURN } from "./turns.js";

export const hasKeyboard = matchMedia("(hover: hover) and (pointer: fine)").matches;
let lastFocused;
let focusedTurnId; // the turn whose reply contains lastFocused
document.addEventListener("focusin", ({ target }) => {
  lastFocused = target;
  focusedTurnId = target.matches(".turn, .turn__reply :focus-visible") && target.closest(".turn").id;
  // The composer may be high: it must not cover the focused element.
  const box = target.matches(".turn :focus-visible") && document.querySelector(".composer");
  if (!box) return;
  const { top, bottom } = target.getBoundingClientRect();
  scrollBy(0, Math.max(0, Math.min(top - 90, bottom - box.getBoundingClientRect().top + 9)));
});
// Nor must a menu that the focus has left.
document.addEventListener("focusin", ({ target }) => {
  const menu = document.querySelector(".menu[open]");
  if (menu && !menu.contains(target)) menu.open = false;
  const more = document.querySelector("#more:popover-open");
  if (more && !more.contains(target) && !target.matches("[popovertarget]")) more.hidePopover();
});
export const focusComposer = () => {
  const places = document.querySelectorAll(hasKeyboard ? "#message" : ".composer__send, .composer__stop");
  [...places].find((place) => place.checkVisibility())?.focus();
};
// A turn is focusable by script, but not a tab stop.
const focusTurn = (turn) => {
  turn.tabIndex = -1;
  turn.focus({ preventScroll: true });
};
// Do not move the focus if something still has it, or if the person left the box or only reads.
export const restoreComposerFocus = (event) => {
  const { activeElement: focused, body } = document;
  if (focused !== body && focused?.checkVisibility?.()) return;
  if (lastFocused ? lastFocused.checkVisibility?.() : event) return;
  const turn = document.getElementById(focusedTurnId);
  if (turn) return focusTurn(turn);
  if (event) document.dispatchEvent(new Event("focus-moved"));
  focusComposer();
};
if (hasKeyboard && document.querySelector(RUNNING_TURN)) restoreComposerFocus();
document.addEventListener("htmx:after:swap", restoreComposerFocus);
document.addEventListener("htmx:sse:close", restoreComposerFocus);

export const focusAndShowTurn = (turn) => {
  focusTurn(turn);
  turn.scrollIntoView();
};

if (hasKeyboard && location.hash === "#message") focusComposer();
