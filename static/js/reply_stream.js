// Reconnection of reply streams: after a random delay, with exponential backoff after attempts without
// events, and immediately when the network is back. htmx alone would retry twice a second for ever, for
// example if a sign-in page responds. The footer of a reply reports a lost or silent stream.
import { announce } from "./announcements.js";
import { onContentChange } from "./content_changes.js";
import { messages } from "./messages.js";
import { firstRetryDelay, isSignOfLife, MAX_RETRY_MS, maxRetryDelay, maxSilence, retryDelay } from "./reconnection.js";
import { isEventStream, isStreamElement, removeUnreachable } from "./requests.js";
import { log, RUNNING_TURN } from "./turns.js";

const FIRST_DELAY = firstRetryDelay(Math.random());
// The open or waiting connection of an element: private fields of htmx, whose names a test checks.
const connectionOf = (element) => element._htmx?.sse;
// The connection may be dead without an error: htmx then opens a new one, without its usual delay.
const reconnect = ({ delayCanceller, reader }) => {
  delayCanceller?.();
  reader?.cancel();
};
const silenceTimers = new WeakMap();
const emptyAttempts = new WeakMap();
const countEmptyAttempts = (turn) => emptyAttempts.get(turn) ?? 0;
const addEmptyAttempt = (turn) => emptyAttempts.set(turn, countEmptyAttempts(turn) + 1);
// While the connection is lost, Stop would not reach the portal.
const setLost = (footer, isLost) => {
  const stop = document.querySelector(".composer__stop");
  if (stop) stop.disabled = isLost;
  const turn = footer.closest?.(".turn"); // events of a replaced footer target the document
  if (!turn || turn.hasAttribute("data-lost") === isLost) return;
  turn.toggleAttribute("data-lost", isLost);
  if (!isLost) return footer.querySelector(".turn__lost")?.remove();
  const notice = document.createElement("p");
  footer.prepend(Object.assign(notice, { className: "turn__lost", textContent: messages.connectionLost }));
  announce(messages.connectionLost);
};
const stopWaiting = (footer) => {
  clearTimeout(silenceTimers.get(footer));
  silenceTimers.delete(footer);
};
const waitForEvent = (footer, wait = maxSilence()) => {
  stopWaiting(footer);
  silenceTimers.set(footer, setTimeout(() => {
    stopWaiting(footer);
    if (!isStreamElement(footer) || document.hidden) return;
    setLost(footer, true);
    const connection = connectionOf(footer);
    if (connection) reconnect(connection);
  }, wait));
};
// A new connection attempt does not restart a running silence timer.
const waitForFirstEvent = (footer) => { if (!silenceTimers.has(footer)) waitForEvent(footer); };
document.addEventListener("htmx:sse:after:connection", ({ target, detail }) => {
  detail.connection.config.reconnectDelay = retryDelay(FIRST_DELAY, countEmptyAttempts(target));
  Object.assign(detail.connection.config, { reconnectMaxDelay: MAX_RETRY_MS, reconnectJitter: 0.2 });
  removeUnreachable();
  addEmptyAttempt(target);
  waitForFirstEvent(target);
});
// A new attempt was rejected, or the portal is unreachable. If `attempt` is 0, an open stream has
// broken off, and htmx has not tried again yet.
document.addEventListener("htmx:sse:error", ({ target, detail }) => {
  if (!detail.connection?.attempt) return;
  detail.connection.config.reconnectMaxDelay = maxRetryDelay(detail.status);
  addEmptyAttempt(target);
  setLost(target, true);
});
document.addEventListener("htmx:sse:after:message", ({ target, detail }) => {
  const { message, connection } = detail;
  setLost(target, false);
  if (target !== document) waitForEvent(target, maxSilence(message.event, connection.config.reconnectDelay));
  if (!isSignOfLife(message.event)) return;
  emptyAttempts.delete(target);
  connection.config.reconnectDelay = FIRST_DELAY;
});
document.addEventListener("htmx:sse:close", ({ target }) => stopWaiting(target));
// htmx does not retry the first connection, and a response that is not a stream would replace the turn.
document.addEventListener("htmx:finally:request", (event) => {
  const { sourceElement: turn, response } = event.detail.ctx ?? {};
  if (!isStreamElement(turn) || connectionOf(turn) || isEventStream(response) || document.hidden) return;
  const wait = retryDelay(FIRST_DELAY, countEmptyAttempts(turn), Boolean(response));
  setTimeout(() => htmx.trigger(turn, "sse-retry"), wait);
  addEmptyAttempt(turn);
});
// A tab opened in the background connects only when it becomes visible: browsers allow six connections
// for all tabs together. htmx closes the streams of tabs that become hidden later.
document.addEventListener("htmx:before:request", (event) => {
  const turn = event.detail.ctx?.sourceElement;
  if (!isStreamElement(turn)) return;
  if (document.hidden) event.preventDefault();
  else waitForFirstEvent(turn);
});
document.addEventListener("htmx:sse:before:connection", (event) => {
  if (document.hidden && !event.detail.connection.attempt) event.preventDefault();
});
document.addEventListener("visibilitychange", () => {
  if (document.hidden) return;
  for (const turn of document.querySelectorAll("[hx-sse\\:connect]")) {
    if (connectionOf(turn)) waitForEvent(turn);
    else htmx.trigger(turn, "sse-retry");
  }
});
addEventListener("online", () => {
  for (const turn of document.querySelectorAll("[hx-sse\\:connect]")) {
    emptyAttempts.delete(turn);
    const connection = connectionOf(turn);
    if (connection) reconnect(connection);
    else {
      htmx.trigger(turn, "htmx:abort"); // a pending request may be dead, too
      htmx.trigger(turn, "sse-retry");
    }
  }
});

// Update data-state, data-quotes, aria-busy and lang when a reply begins or ends, for styles and assistive technology.
document.addEventListener("htmx:sse:after:message", ({ target }) => {
  const turn = target.closest?.(".turn") ?? document.querySelector(".turn:has([aria-busy])");
  if (!turn) return;
  const reply = turn.querySelector(".turn__reply");
  const { state, language } = turn.querySelector(".turn__footer").dataset;
  const runs = state === "waiting" || state === "streaming";
  if (!runs && reply.ariaBusy) {
    reply.ariaBusy = null;
    reply.lang = language;
  }
  const quotes = Boolean(turn.querySelector(".turn__source"));
  turn.toggleAttribute("data-quotes", quotes);
  if (quotes) reply.removeAttribute("ai-disclosure"); // a quotation is not generated
  turn.dataset.state = runs && reply.firstElementChild ? "streaming" : state;
});

// Tell other modules that no reply runs any more: the last one has ended, or was replaced by its final version.
let wasRunning = Boolean(document.querySelector(RUNNING_TURN));
for (const event of ["htmx:sse:after:message", "htmx:after:swap"]) document.addEventListener(event, () => {
  const isRunning = Boolean(document.querySelector(RUNNING_TURN));
  if (wasRunning && !isRunning) document.dispatchEvent(new Event("reply-ended"));
  wasRunning = isRunning;
});

// Remove the notice "Still replying" when the reply has ended. A page with an earlier version does not show it.
onContentChange(() => {
  if (log?.dataset.newest) return;
  if (!document.querySelector(RUNNING_TURN)) document.querySelector("[data-remove-on-reply-end]")?.remove();
});
