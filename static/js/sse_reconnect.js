// Following a reply: come back spread over a moment, later each time that nothing came, at once when
// the network is there again. htmx itself would ask twice a second for ever, for a login page, say.
const FIRST_RETRY_MS = 500 + 1500 * Math.random();
const MAX_RETRY_UNREACHABLE_MS = 8000; // while nobody answers: the portal restarts
const MAX_RETRY_MS = 30000; // while something else answers
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
  if ([messages.unreachable, messages.offline].some((words) => notices.textContent.startsWith(words))) notices.replaceChildren();
  countEmptyAttempt(target);
});
// Refused, or not reached at all; a stream that broke off has not been asked for again yet.
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
// The first connection is not tried again by htmx, and what is no stream would replace the turn.
const isEventStream = (response) => response?.headers.get("Content-Type")?.startsWith("text/event-stream");
const isStreamElement = (element) => element?.isConnected && element.matches("[hx-sse\\:connect]");
// Nobody has pressed anything, and nothing is lost when it fails.
const isBackgroundRequest = (element) => isStreamElement(element) || element?.id === "log";
document.addEventListener("htmx:finally:request", (event) => {
  const { sourceElement: turn, response } = event.detail.ctx ?? {};
  if (!isStreamElement(turn) || turn._htmx?.sse || isEventStream(response) || document.hidden) return;
  const wait = Math.min(retryDelay(turn), response ? MAX_RETRY_MS : MAX_RETRY_UNREACHABLE_MS);
  setTimeout(() => htmx.trigger(turn, "sse-retry"), wait);
  countEmptyAttempt(turn);
});
// A tab that is opened in the background does not begin to follow before it is looked at: browsers
// have six connections for all tabs together. htmx lets go of those that are hidden later.
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
addEventListener("offline", () => showNotice(`${messages.offline} ${document.querySelector(RUNNING_TURN) ? messages.meanwhile : ""}`));
addEventListener("online", () => {
  notices.replaceChildren();
  announce(messages.online);
  const search = document.querySelector("[type=search]");
  if (search?.value) htmx.trigger(search, "search");
  for (const turn of document.querySelectorAll("[hx-sse\\:connect]")) {
    emptyAttempts.delete(turn);
    const connection = turn._htmx?.sse;
    if (!connection) {
      htmx.trigger(turn, "htmx:abort"); // as may what it waits for
      htmx.trigger(turn, "sse-retry");
    }
    connection?.delayCanceller?.();
    connection?.reader?.cancel(); // it may be dead without knowing
  }
});

// A reply that has begun, or has ended, says so: for themes and assistive technology.
document.addEventListener("htmx:sse:after:message", ({ target }) => {
  const turn = target.closest?.(".turn") ?? document.querySelector(".turn:has([aria-busy])");
  if (!turn) return;
  const reply = turn.querySelector(".turn__reply");
  const { state } = turn.querySelector(".turn__footer").dataset;
  const runs = state === "waiting" || state === "streaming";
  if (!runs && reply.ariaBusy) {
    // A hand may be on its way to Stop.
    [lastPressed, lastPressedAt] = ["stop", performance.now()];
    reply.ariaBusy = null;
  }
  turn.dataset.state = runs && reply.firstElementChild ? "streaming" : state;
});
