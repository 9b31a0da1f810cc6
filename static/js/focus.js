// Whoever was about to type goes on typing: a button that vanished must not take the focus along.
// Where the box would call up a keyboard, the button that is there instead gets it.
let focusedLast;
let reading; // the turn in whose reply that is
let movedAt = -Infinity;
// What was pressed last of Send and Stop, which take turns in one place.
let pressed;
let pressedAt;
document.addEventListener("focusin", ({ target }) => {
  focusedLast = target;
  reading = target.matches(".turn, .turn__reply :focus-visible") && target.closest(".turn").id;
  // The box may be high: it must not cover what has the focus.
  const box = target.matches(".turn :focus-visible") && document.querySelector(".composer");
  if (!box) return;
  const { top, bottom } = target.getBoundingClientRect();
  scrollBy(0, Math.max(0, Math.min(top - 90, bottom - box.getBoundingClientRect().top + 9)));
});
const goOn = () => {
  const places = document.querySelectorAll(hasKeyboard ? "#message" : ".composer__send, .composer__stop");
  [...places].find((place) => place.checkVisibility())?.focus();
};
// A turn is no stop on the way through the page, but can have the focus.
const hold = (turn) => {
  turn.tabIndex = -1;
  turn.focus({ preventScroll: true });
};
// Whoever has left the box has left it, and who only reads is left alone.
const typeOn = (event) => {
  const { activeElement: focused, body } = document;
  if (focused !== body && focused?.checkVisibility?.()) return;
  if (focusedLast ? focusedLast.checkVisibility?.() : event) return;
  const turn = document.getElementById(reading);
  if (turn) return hold(turn);
  if (event) movedAt = performance.now();
  goOn();
};
if (hasKeyboard && document.querySelector(RUNNING)) typeOn();
document.addEventListener("htmx:after:swap", typeOn);
document.addEventListener("htmx:sse:close", typeOn);

const readOn = (turn) => {
  hold(turn);
  turn.scrollIntoView();
};
