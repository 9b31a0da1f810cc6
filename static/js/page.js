// Every page works without these files. They only make some things better.
document.documentElement.classList.add("scripts");
const hasKeyboard = matchMedia("(hover: hover) and (pointer: fine)").matches;
const notices = document.getElementById("notices");
const RUNNING = ".turn:is([data-state=waiting], [data-state=streaming])";
const newestTurn = () => [...document.querySelectorAll(".turn")].at(-1);

// What is kept in this browser, for now or for longer; where nothing may be kept, nothing is.
const memory = (kind) => ({
  get(name) {
    try { return window[kind].getItem(name) ?? ""; } catch { return ""; }
  },
  set(name, words) {
    try { words ? window[kind].setItem(name, words) : window[kind].removeItem(name); } catch { return; }
  },
});
const forNow = memory("sessionStorage");
const forLong = memory("localStorage");

// Storage is on a disk: it is read after the first paint, which is seen no sooner than in the next frame.
const afterPaint = (act) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(act)));

// What was done just now is said once, not again by a reload.
const here = new URL(location);
if (here.searchParams.has("done")) {
  for (const name of ["done", "of"]) here.searchParams.delete(name);
  history.replaceState(history.state, "", here);
}

const note = (sentence) => {
  const said = Object.assign(document.createElement("p"), { className: "note" });
  said.append(Object.assign(document.createElement("span"), { textContent: sentence }));
  notices.replaceChildren(said);
};

// What is new on the page is looked through a moment later, once for all that came meanwhile:
// a long reply comes in thousands of bits.
const SOON_MS = 100;
const whenNew = (act, after = SOON_MS) => {
  let waiting;
  const later = () => { waiting ??= setTimeout(() => { waiting = undefined; act(); }, after); };
  for (const event of ["htmx:after:swap", "htmx:sse:after:message"]) document.addEventListener(event, later);
  act();
};

// Times are the reader's own; without scripts they are the server's, and their title says so.
const TODAY = { timeStyle: "short" };
const THIS_YEAR = { day: "numeric", month: "long" };
const BEFORE = { dateStyle: "long" };
// With the digits of the rest of the page.
const LANGUAGE = `${document.documentElement.lang}-u-nu-latn`;
whenNew(() => {
  const now = new Date();
  for (const time of document.querySelectorAll("time")) {
    const then = new Date(time.dateTime);
    const today = then.toDateString() === now.toDateString() || time.matches(".clock");
    const shown = today ? TODAY : then.getFullYear() === now.getFullYear() ? THIS_YEAR : BEFORE;
    const words = then.toLocaleString(LANGUAGE, shown);
    // A sentence that is written anew is read out anew.
    if (time.textContent !== words) time.textContent = words;
    time.title = then.toLocaleString(LANGUAGE);
  }
});

// A turn is no stop on the way through the page, but can have the focus.
const readOn = (turn) => {
  turn.tabIndex = -1;
  turn.focus({ preventScroll: true });
  turn.scrollIntoView();
};

// Whoever was about to type goes on typing: a button that vanished must not take the focus along.
// Where the box would call up a keyboard, the button that is there instead gets it.
let focusedLast;
let movedAt = -Infinity;
document.addEventListener("focusin", ({ target }) => { focusedLast = target; });
const goOn = () => {
  const places = document.querySelectorAll(hasKeyboard ? "#message" : ".composer__send, .composer__stop");
  [...places].find((place) => place.checkVisibility())?.focus({ preventScroll: true });
};
// Whoever has left the box has left it.
const typeOn = (event) => {
  const { activeElement: focused, body } = document;
  if (focused !== body && focused?.checkVisibility?.()) return;
  if (focusedLast?.checkVisibility?.()) return;
  if (event) movedAt = performance.now();
  goOn();
};
if (document.querySelector(RUNNING)) typeOn();
document.addEventListener("htmx:after:swap", typeOn);
document.addEventListener("htmx:sse:close", typeOn);

// "Still replying" is no longer true when the reply has ended.
document.addEventListener("htmx:sse:close", () => document.querySelector("[data-until-ended]")?.remove());

// A form says how far the page has come: another window may have gone on.
document.addEventListener("htmx:config:request", ({ detail: { ctx } }) => {
  const newest = ctx.request.method === "POST" && newestTurn();
  if (newest) ctx.request.body.set("seen", newest.dataset.turn);
});

// What is looked for is found while one types.
document.addEventListener("submit", (event) => { if (event.target.role === "search") event.preventDefault(); });

// Nobody has pressed anything, and nothing is lost when it fails.
const isAskedForByItself = (element) => follows(element) || element?.id === "log";
// What could not be sent stays where it is, with a sentence.
document.addEventListener("htmx:error", (event) => {
  if (isAskedForByItself(event.detail.ctx?.sourceElement)) return;
  const hasText = event.detail.ctx?.sourceElement?.matches(".composer form");
  note(`${navigator.onLine ? told.unreachable : told.offline} ${hasText ? told.kept : told.again}`);
});
// The next thing that the person does takes it away; a reply that goes on does not.
document.addEventListener("htmx:before:request", (event) => {
  if (isAskedForByItself(event.detail.ctx?.sourceElement)) return;
  notices.replaceChildren();
});
