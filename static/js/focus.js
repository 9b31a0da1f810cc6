// Whoever was about to type goes on typing: a button that vanished must not take the focus along.
// Where the box would call up a keyboard, the button that is there instead gets it.
let lastFocused;
let focusedTurnId; // the turn in whose reply that is
let focusMovedAt = -Infinity;
// What was pressed last of Send and Stop, which take turns in one place.
let lastPressed;
let lastPressedAt;
document.addEventListener("focusin", ({ target }) => {
  lastFocused = target;
  focusedTurnId = target.matches(".turn, .turn__reply :focus-visible") && target.closest(".turn").id;
  // The box may be high: it must not cover what has the focus.
  const box = target.matches(".turn :focus-visible") && document.querySelector(".composer");
  if (!box) return;
  const { top, bottom } = target.getBoundingClientRect();
  scrollBy(0, Math.max(0, Math.min(top - 90, bottom - box.getBoundingClientRect().top + 9)));
});
const focusComposer = () => {
  const places = document.querySelectorAll(hasKeyboard ? "#message" : ".composer__send, .composer__stop");
  [...places].find((place) => place.checkVisibility())?.focus();
};
// A turn is no stop on the way through the page, but can have the focus.
const focusTurn = (turn) => {
  turn.tabIndex = -1;
  turn.focus({ preventScroll: true });
};
// Whoever has left the box has left it, and who only reads is left alone.
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
