// What all scripts use of a page: its turns, announcements and notices, and the focus.

// A browser without popovers (Firefox before 125, Safari before 17) gets the page as without scripts: this error
// also stops the modules that import this one.
if (!("popover" in HTMLElement.prototype)) {
  document.body.setAttribute("hx-ignore", "");
  for (const part of document.querySelectorAll("noscript")) part.outerHTML = part.textContent;
  throw new Error("popovers are missing");
}

// The keys of an input method, such as for Japanese, are not for the page. Safari reports the Enter that ends a
// composition only by its code.
addEventListener("keydown", (event) => {
  if (event.isComposing || event.keyCode === 229) event.stopImmediatePropagation();
}, true);

// Other tabs tell the paths of conversations that they have changed.
export const channel = new BroadcastChannel("tab-sync");

// Update the list in the sidebar, unless it is being used.
export const updateRecent = () => {
  if (!document.hidden) globalThis.htmx?.trigger("#recent:not(:has(:focus, [open]))", "update");
};

// Finds the turns of a page, and runs functions when the page changes.
export const RUNNING_TURN = ".turn:is([data-state=waiting], [data-state=streaming])";
export const log = document.getElementById("log"); // the element that contains the turns
export const newestTurn = () => [...document.querySelectorAll(".turn")].at(-1);
export const newestMessage = () => {
  const message = newestTurn()?.querySelector(".turn__content").lastChild.cloneNode(true);
  message?.querySelectorAll(".code__copy").forEach((button) => button.remove());
  return message?.textContent;
};

// Run a function now and after content changes, throttled: a long reply arrives in thousands of
// patches.
const THROTTLE_MS = 100;
export const onContentChange = (act, after = THROTTLE_MS) => {
  let waiting;
  const later = () => { waiting ??= setTimeout(() => { waiting = undefined; act(); }, after); };
  for (const event of ["htmx:after:swap", "htmx:sse:after:message"]) document.addEventListener(event, later);
  act();
};

// What scripts tell people: announcements for screen readers, and notices.
const SPEAK_INTERVAL_MS = 1000;
const CLEAR_AFTER_MS = 6000;
const MAX_ANNOUNCEMENT_CHARS = 600; // screen reader users cannot skip within one announcement
const ANNOUNCEMENT_PARTS = /\S.{0,599}(?<=[\p{Term}…])(?!\w)|\S.{0,599}(?!\S)|\S{600}/gu;
export const SENTENCE_END = /[\p{Term}…]\s*$/u;
const announcer = document.getElementById("announcer");
let queue = [];
let speakTimer;
const speakNext = () => {
  let [text, lang] = queue.shift() ?? ["", ""];
  while (queue[0]?.[1] === lang && text.length + queue[0][0].length < MAX_ANNOUNCEMENT_CHARS) {
    text = `${text}${SENTENCE_END.test(text) ? "" : "."} ${queue.shift()[0]}`;
  }
  announcer.lang = lang;
  announcer.textContent = text;
  // Clear the text afterwards, so that people who browse the page do not find it again.
  speakTimer = text ? setTimeout(speakNext, queue.length ? SPEAK_INTERVAL_MS : CLEAR_AFTER_MS) : undefined;
};
export const announce = (text = "", lang = "") => {
  const sentence = text.replace(/\s+/g, " ").trim();
  if (!sentence || queue.at(-1)?.[0] === sentence) return;
  const waits = queue.length;
  const parts = sentence.length > MAX_ANNOUNCEMENT_CHARS ? sentence.match(ANNOUNCEMENT_PARTS) : [sentence];
  queue.push(...parts.map((part) => [part, lang || document.documentElement.lang]));
  if (waits) return;
  clearTimeout(speakTimer);
  speakTimer = setTimeout(speakNext, THROTTLE_MS);
};
export const dropAnnouncements = () => { queue = []; };

const notices = document.getElementById("notices");
export const showNotice = (sentence) => {
  notices.innerHTML = "<p class=note><span></span></p>";
  notices.querySelector("span").textContent = sentence;
};
export const removeNotices = () => notices.replaceChildren();
export const noticeText = () => notices.textContent;

// Focuses the message box when a page loads, and restores the focus when the focused element was
// removed, so that the person can type. On touch devices, the Send or Stop button gets the focus
// instead, because focusing the box would open the keyboard.
export const TEXT_FIELDS = "input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable]";
export const hasKeyboard = matchMedia("(hover: hover) and (pointer: fine)").matches;
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
// Close a menu that has lost the focus, so that it does not cover the focused element.
document.addEventListener("focusin", ({ target }) => {
  const menu = document.querySelector(".menu[open]");
  if (menu && !menu.contains(target)) menu.open = false;
  for (const popover of document.querySelectorAll(":popover-open")) {
    if (!popover.contains(target) && !target.matches("[popovertarget]")) popover.hidePopover();
  }
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
