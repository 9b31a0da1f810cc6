// Reconnection of reply streams: random delay, exponential backoff after attempts without events, and
// immediately when the network is back. htmx alone would retry twice a second for ever (a sign-in page, say).
import { messages, noticeText, removeNotices } from "./announcements.js";
import { isEventStream, isStreamElement } from "./requests.js";
import { RUNNING_TURN, onContentChange } from "./turns.js";

const FIRST_RETRY_MS = 500 + 1500 * Math.random();
const MAX_RETRY_UNREACHABLE_MS = 8000; // no response: the portal is restarting
const MAX_RETRY_MS = 30000; // something else responds
const STUCK_AFTER_ATTEMPTS = 4;
const emptyAttempts = new WeakMap();
const retryDelay = (turn) => Math.min(FIRST_RETRY_MS * 2 ** (emptyAttempts.get(turn) ?? 0), MAX_RETRY_MS);
const countEmptyAttempt = (turn) => {
  emptyAttempts.set(turn, (emptyAttempts.get(turn) ?? 0) + 1);
  if (emptyAttempts.get(turn) !== STUCK_AFTER_ATTEMPTS) return;
  turn.querySelector(".turn__progress").textContent = messages.stuck;
};
document.addEventListener("htmx:sse:after:connection", ({ target, detail }) => {
  detail.connection.config.reconnectDelay = retryDelay(target);
  Object.assign(detail.connection.config, { reconnectMaxDelay: MAX_RETRY_MS, reconnectJitter: 0.2 });
  if ([messages.unreachable, messages.offline].some((words) => noticeText().startsWith(words))) removeNotices();
  countEmptyAttempt(target);
});
// Rejected or unreachable. Without an attempt, an open stream broke off and was not requested again yet.
document.addEventListener("htmx:sse:error", ({ target, detail }) => {
  if (!detail.connection?.attempt) return;
  detail.connection.config.reconnectMaxDelay = detail.status ? MAX_RETRY_MS : MAX_RETRY_UNREACHABLE_MS;
  countEmptyAttempt(target);
});
document.addEventListener("htmx:sse:after:message", ({ target, detail }) => {
  if (detail.message.event === "back") return;
  emptyAttempts.delete(target);
  const progress = target.querySelector(".turn__progress");
  if (progress?.textContent === messages.stuck) progress.textContent = "";
  detail.connection.config.reconnectDelay = FIRST_RETRY_MS;
});
// htmx does not retry the first connection, and a response that is not a stream would replace the turn.
document.addEventListener("htmx:finally:request", (event) => {
  const { sourceElement: turn, response } = event.detail.ctx ?? {};
  if (!isStreamElement(turn) || turn._htmx?.sse || isEventStream(response) || document.hidden) return;
  const wait = Math.min(retryDelay(turn), response ? MAX_RETRY_MS : MAX_RETRY_UNREACHABLE_MS);
  setTimeout(() => htmx.trigger(turn, "sse-retry"), wait);
  countEmptyAttempt(turn);
});
// A tab opened in the background connects only when it becomes visible: browsers allow six connections
// for all tabs together. htmx closes the streams of tabs that become hidden later.
document.addEventListener("htmx:before:request", (event) => {
  if (document.hidden && isStreamElement(event.detail.ctx?.sourceElement)) event.preventDefault();
});
document.addEventListener("htmx:sse:before:connection", (event) => {
  if (document.hidden && !event.detail.connection.attempt) event.preventDefault();
});
document.addEventListener("visibilitychange", () => {
  if (document.hidden) return;
  for (const turn of document.querySelectorAll("[hx-sse\\:connect]")) {
    if (!turn._htmx?.sse) htmx.trigger(turn, "sse-retry");
  }
});
addEventListener("online", () => {
  for (const turn of document.querySelectorAll("[hx-sse\\:connect]")) {
    emptyAttempts.delete(turn);
    const connection = turn._htmx?.sse;
    if (!connection) {
      htmx.trigger(turn, "htmx:abort"); // a pending request may be dead, too
      htmx.trigger(turn, "sse-retry");
    }
    connection?.delayCanceller?.();
    connection?.reader?.cancel(); // the connection may be dead without an error
  }
});

// Update data-state and aria-busy when a reply begins or ends, for styles and assistive technology.
document.addEventListener("htmx:sse:after:message", ({ target }) => {
  const turn = target.closest?.(".turn") ?? document.querySelector(".turn:has([aria-busy])");
  if (!turn) return;
  const reply = turn.querySelector(".turn__reply");
  const { state } = turn.querySelector(".turn__footer").dataset;
  const runs = state === "waiting" || state === "streaming";
  if (!runs && reply.ariaBusy) {
    document.dispatchEvent(new Event("reply-ended"));
    reply.ariaBusy = null;
  }
  turn.dataset.state = runs && reply.firstElementChild ? "streaming" : state;
});

// Remove the notice "Still replying" when the reply has ended.
onContentChange(() => {
  if (!document.querySelector(RUNNING_TURN)) document.querySelector("[data-remove-on-reply-end]")?.remove();
});
