// The focus: on the message box when a page loads, and again when the focused element was removed, so that the
// person can type. On touch devices, the Send or Stop button gets the focus instead, because focusing the box would
// open the keyboard.
export const TEXT_FIELDS = "input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable]";
const hasKeyboard = matchMedia("(hover: hover) and (pointer: fine)").matches;
// Touch keyboards have no Shift+Enter.
export const sendsOnEnter = () => hasKeyboard && document.documentElement.dataset.enter !== "newline";
// The ring around the message box, which has the focus nearly always, is for people who move by Tab.
addEventListener("keydown", ({ key }) => { if (key === "Tab") document.documentElement.dataset.tabbing = ""; });
addEventListener("pointerdown", () => { delete document.documentElement.dataset.tabbing; });
let lastFocused;
let focusedTurnId; // the turn whose reply contains lastFocused
document.addEventListener("focusin", ({ target }) => {
  lastFocused = target;
  focusedTurnId = target.matches(".turn, .turn__reply :focus-visible") && target.closest(".turn").id;
  // The composer may be tall, and must not cover the focused element.
  const box = target.matches(".turn :focus-visible") && document.querySelector(".composer");
  if (!box) return;
  const { top, bottom } = target.getBoundingClientRect();
  scrollBy(0, Math.max(0, Math.min(top - 90, bottom - box.getBoundingClientRect().top + 9)));
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
// If the focused element was removed or hidden, focus its turn, or else the composer.
const restoreComposerFocus = () => {
  const { activeElement: focused, body } = document;
  if (focused !== body && focused?.checkVisibility?.()) return;
  if (!lastFocused || lastFocused.checkVisibility?.()) return;
  const turn = document.getElementById(focusedTurnId);
  if (turn) return focusTurn(turn);
  document.dispatchEvent(new Event("focus-moved"));
  focusComposer();
};
document.addEventListener("htmx:after:swap", restoreComposerFocus);
document.addEventListener("htmx:sse:close", restoreComposerFocus);

export const focusAndShowTurn = (turn) => {
  focusTurn(turn);
  turn.scrollIntoView();
};

// When a page loads, focus the box, unless the URL leads to another element, such as a search hit.
export const focusComposerOnArrival = () => {
  const box = document.querySelector("#message:enabled");
  const { activeElement: focused, body } = document;
  const isFree = focused === body || focused === box || focused.matches("[autofocus]");
  if (!box || !hasKeyboard || !isFree || !["", "#message"].includes(location.hash)) return;
  box.focus({ preventScroll: true });
  box.setSelectionRange(box.value.length, box.value.length);
};
