// Scroll position of a conversation: follow the end while the reader is at the end, else stay.
import { announce } from "./announcements.js";
import { focusAndShowTurn, focusComposer } from "./focus.js";
import { messages } from "./messages.js";
import { afterPaint, sessionStore } from "./storage.js";
import { log } from "./turns.js";

const NEAR_END_PX = 120;
const page = document.scrollingElement;
const newestButton = document.getElementById("scroll-to-newest");
const isNearEnd = (gap) => page.scrollHeight - page.scrollTop - page.clientHeight < gap;
// Readers who are away from the end get a button that leads there and tells whether there is new text.
const updateNewestButton = (hasNewTurns, away = !isAtEnd) => {
  if (!newestButton) return;
  const label = newestButton.lastElementChild;
  // `hidden = true` would update styles even if the element is already hidden.
  label.toggleAttribute("hidden", !(away && (hasNewTurns || !label.hidden)));
  // In a window of small height, the button covers more of the text, so it appears at a greater distance
  // from the end.
  newestButton.toggleAttribute("hidden", !away || isNearEnd(label.hidden ? 9e5 / innerHeight : 2));
  if (newestButton.hidden) return;
  // Place the button above the composer, whose height varies.
  newestButton.parentElement.style.bottom = `${document.querySelector("#composer").offsetHeight}px`;
};
export const scrollToEnd = () => {
  isAtEnd = true;
  updateNewestButton();
  page.scrollTop = page.scrollHeight;
  top = page.scrollTop;
};
let isAtEnd = false;
let top = 0;
let height = page.scrollHeight;
// After a reload and Back, the browser itself restores the place.
const isNewVisit = performance.getEntriesByType("navigation")[0]?.type === "navigate";
// Update `isAtEnd` after scrolls of the reader. The browser itself may scroll when the page
// shrinks, and may scroll down when the page grows.
const trackScroll = () => {
  const scrolledBy = page.scrollTop - top;
  const grown = page.scrollHeight - height;
  if (!grown || (grown > 0 && scrolledBy < 0)) {
    isAtEnd = isNearEnd(scrolledBy > 0 ? NEAR_END_PX : 2) || (isAtEnd && scrolledBy >= 0);
  }
  [top, height] = [page.scrollTop, page.scrollHeight];
};
// Focus within a turn means that somebody reads it by keyboard: do not scroll away.
const READ_SELECTOR = [
  ".turn:focus",
  ".turn:not(:last-child):focus-within",
  ":is(.turn__content, .turn__reply) :focus-visible",
  ".turn__more:focus-within",
].join();
const shouldAutoscroll = () => {
  trackScroll();
  return newestButton && isAtEnd && !document.querySelector(READ_SELECTOR);
};
addEventListener("scroll", () => {
  trackScroll();
  updateNewestButton();
});
if (log) {
  new ResizeObserver(() => {
    if (shouldAutoscroll()) scrollToEnd();
    else updateNewestButton(log.querySelector("[aria-busy]"), true);
  }).observe(log.closest("main")); // `main` includes the composer, which also grows
  newestButton?.addEventListener("click", () => { scrollToEnd(); focusComposer(); });
  // Renaming or pinning reloads the page: restore the scroll position.
  const actionNotice = document.querySelector(".composer [role=group]");
  const scrollTop = actionNotice && sessionStore.get("place");
  afterPaint(() => sessionStore.set("place", ""));
  if (actionNotice) {
    focusComposer(); // the browser has focused the notice about the action (autofocus)
    announce(actionNotice.ariaLabel);
  }
  if (scrollTop) page.scrollTop = scrollTop;
  else if (isNewVisit && (location.hash === "#message" || !(location.hash || location.search))) scrollToEnd();
  isAtEnd = isNearEnd(NEAR_END_PX);
  document.addEventListener("submit", ({ target }) => {
    if (target.matches(".menu form, .title-form")) sessionStore.set("place", String(page.scrollTop));
  });
}

// When earlier turns are inserted, keep the scroll position. If the link to earlier turns
// had the focus, focus the turn below the link.
let swapping;
let below = 0;
let first;
document.addEventListener("htmx:before:swap", ({ detail: { ctx } }) => {
  if (ctx.sourceElement.id !== "earlier-turns") return;
  swapping = ctx;
  below = page.scrollHeight - page.scrollTop;
  first = document.activeElement === ctx.sourceElement && document.querySelector(".turn");
});
document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
  if (ctx !== swapping) return;
  swapping = undefined;
  if (first) focusAndShowTurn(first);
  page.scrollTop = page.scrollHeight - below;
  announce(messages.olderShown);
});
