// Following a reply: come back spread over a moment, later each time that nothing came, at once when
// the network is there again. htmx itself would ask twice a second for ever, for a login page, say.
const FIRST = 500 + 1500 * Math.random();
const NEAR = 8000; // while nobody answers: the portal restarts
const LATE = 30000; // while something else answers
const STUCK = 4;
const empty = new WeakMap();
const delay = (turn) => Math.min(FIRST * 2 ** (empty.get(turn) ?? 0), LATE);
const cameInVain = (turn) => {
  empty.set(turn, (empty.get(turn) ?? 0) + 1);
  if (empty.get(turn) !== STUCK) return;
  turn.querySelector(".turn__progress").textContent = told.stuck;
};
document.addEventListener("htmx:sse:after:connection", ({ target, detail }) => {
  detail.connection.config.reconnectDelay = delay(target);
  Object.assign(detail.connection.config, { reconnectMaxDelay: LATE, reconnectJitter: 0.2 });
  if ([told.unreachable, told.offline].some((words) => notices.textContent.startsWith(words))) notices.replaceChildren();
  cameInVain(target);
});
// Refused, or not reached at all; a stream that broke off has not been asked for again yet.
document.addEventListener("htmx:sse:error", ({ target, detail }) => {
  if (!detail.connection?.attempt) return;
  detail.connection.config.reconnectMaxDelay = detail.status ? LATE : NEAR;
  cameInVain(target);
});
document.addEventListener("htmx:sse:after:message", ({ target, detail }) => {
  if (detail.message.event === "back") return;
  empty.delete(target);
  const progress = target.querySelector(".turn__progress");
  if (progress?.textContent === told.stuck) progress.textContent = "";
  detail.connection.config.reconnectDelay = FIRST;
});
// The first connection is not tried again by htmx, and what is no stream would replace the turn.
const isStream = (response) => response?.headers.get("Content-Type")?.startsWith("text/event-stream");
const follows = (element) => element?.isConnected && element.matches("[hx-sse\\:connect]");
// Nobody has pressed anything, and nothing is lost when it fails.
const isAskedForByItself = (element) => follows(element) || element?.id === "log";
document.addEventListener("htmx:finally:request", (event) => {
  const { sourceElement: turn, response } = event.detail.ctx ?? {};
  if (!follows(turn) || turn._htmx?.sse || isStream(response) || document.hidden) return;
  const wait = Math.min(delay(turn), response ? LATE : NEAR);
  setTimeout(() => htmx.trigger(turn, "sse-retry"), wait);
  cameInVain(turn);
});
// A tab that is opened in the background does not begin to follow before it is looked at: browsers
// have six connections for all tabs together. htmx lets go of those that are hidden later.
document.addEventListener("htmx:before:request", (event) => {
  if (document.hidden && follows(event.detail.ctx?.sourceElement)) event.preventDefault();
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
addEventListener("offline", () => note(`${told.offline} ${document.querySelector(RUNNING) ? told.meanwhile : ""}`));
addEventListener("online", () => {
  notices.replaceChildren();
  announce(told.online);
  const search = document.querySelector("[type=search]");
  if (search?.value) htmx.trigger(search, "search");
  for (const turn of document.querySelectorAll("[hx-sse\\:connect]")) {
    empty.delete(turn);
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
  const { state } = turn.querySelector(".turn__foot").dataset;
  const runs = state === "waiting" || state === "streaming";
  if (!runs && reply.ariaBusy) {
    // A hand may be on its way to Stop.
    [pressed, pressedAt] = ["stop", performance.now()];
    reply.ariaBusy = null;
  }
  turn.dataset.state = runs && reply.firstElementChild ? "streaming" : state;
});
