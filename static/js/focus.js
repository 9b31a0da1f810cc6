// Restores the focus when the focused element was removed, so that the person can continue to type.
// On touch devices the Send or Stop button gets it instead of the box, which would open the keyboard.
let lastFocused;
let focusedTurnId; // the turn whose reply contains lastFocused
let focusMovedAt = -Infinity;
// Which of Send and Stop was pressed last; they replace each other in one place.
let lastPressed;
let lastPressedAt;
document.addEventListener("focusin", ({ target }) => {
  lastFocused = target;
  focusedTurnId = target.matches(".turn, .turn__reply :focus-visible") && target.closest(".turn").id;
  // The composer may be high: it must not cover the focused element.
  const box = target.matches(".turn :focus-visible") && document.querySelector(".composer");
  if (!box) return;
  const { top, bottom } = target.getBoundingClientRect();
  scrollBy(0, Math.max(0, Math.min(top - 90, bottom - box.getBoundingClientRect().top + 9)));
});
const focusComposer = () => {
  const places = document.querySelectorAll(hasKeyboard ? "#message" : ".composer__send, .composer__stop");
  [...places].find((place) => place.checkVisibility())?.focus();
};
// A turn is focusable by script, but not a tab stop.
const focusTurn = (turn) => {
  turn.tabIndex = -1;
  turn.focus({ preventScroll: true });
};
// Do not move the focus if something still has it, or if the person left the box or only reads.
const restoreComposerFocus = (event) => {
  const { activeElement: focused, body } = document;
  if (focused !== body && focused?.checkVisibility?.()) return;
  if (lastFocused ? lastFocused.checkVisibility?.() : event) return;
  const turn = document.getElementById(focusedTurnId);
  if (turn) return focusTurn(turn);
  if (event) focusMovedAt = performance.now();
  focusComposer();
};
if (hasKeyboard && document.querySelector(RUNNING_TURN)) restoreComposerFocus();
document.addEventListener("htmx:after:swap", restoreComposerFocus);
document.addEventListener("htmx:sse:close", restoreComposerFocus);

const focusAndShowTurn = (turn) => {
  focusTurn(turn);
  turn.scrollIntoView();
};
