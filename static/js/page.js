// Every page works without these files. They only make some things better.
document.documentElement.classList.add("scripts");
// The policy refuses a style that htmx would put in; and nothing here waits for a transition.
Object.assign(htmx.config, { includeIndicatorCSS: false, defaultSettleDelay: 0 });
const hasKeyboard = matchMedia("(hover: hover) and (pointer: fine)").matches;
const notices = document.getElementById("notices");
const RUNNING_TURN = ".turn:is([data-state=waiting], [data-state=streaming])";
const newestTurn = () => [...document.querySelectorAll(".turn")].at(-1);

// What is kept in this browser, for now or for longer; where nothing may be kept, nothing is.
const safeStorage = (kind) => ({
  get(name) {
    try { return window[kind].getItem(name) ?? ""; } catch { return ""; }
  },
  set(name, words) {
    try { words ? window[kind].setItem(name, words) : window[kind].removeItem(name); } catch {}
  },
});
const sessionStore = safeStorage("sessionStorage");
const localStore = safeStorage("localStorage");

// Storage is on a disk: drafts are read after the first paint, which is seen no sooner than in the next frame.
const afterPaint = (act) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(act)));

// The next page has its times by the reader's clock.
afterPaint(() => {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  document.cookie = `zone=${timeZone};path=/;max-age=31536000`;
});

// What was done just now is said once, not again by a reload.
const here = new URL(location);
const { done: completedAction, of: completedActionId } = Object.fromEntries(here.searchParams);
if (completedAction) {
  for (const name of ["done", "of"]) here.searchParams.delete(name);
  history.replaceState(history.state, "", here);
}

const showNotice = (sentence) => {
  notices.innerHTML = "<p class=note><span></span></p>";
  notices.querySelector("span").textContent = sentence;
};

// What is new on the page is looked through a moment later, once for all that came meanwhile:
// a long reply comes in thousands of bits.
const THROTTLE_MS = 100;
const onContentChange = (act, after = THROTTLE_MS) => {
  let waiting;
  const later = () => { waiting ??= setTimeout(() => { waiting = undefined; act(); }, after); };
  for (const event of ["htmx:after:swap", "htmx:sse:after:message"]) document.addEventListener(event, later);
  act();
};

// "Still replying" is no longer true when the reply has ended.
onContentChange(() => {
  if (!document.querySelector(RUNNING_TURN)) document.querySelector("[data-remove-on-reply-end]")?.remove();
});

// A form says how far the page has come: another window may have gone on.
document.addEventListener("htmx:config:request", ({ detail: { ctx } }) => {
  const newest = ctx.request.method === "POST" && newestTurn();
  if (newest) ctx.request.body.set("seen", newest.dataset.turn);
});

// What is looked for is found while one types.
document.addEventListener("submit", (event) => { if (event.target.role === "search") event.preventDefault(); });

// What could not be sent stays where it is, with a sentence.
const reportUnreachable = (element) => {
  if (isBackgroundRequest(element)) return;
  const hasText = element?.matches(".composer form");
  showNotice(`${navigator.onLine ? messages.unreachable : messages.offline} ${hasText ? messages.kept : messages.again}`);
};
document.addEventListener("htmx:error", ({ detail: { ctx } }) => reportUnreachable(ctx?.sourceElement));
// What stands between may answer in place of the portal, by an error or a page to sign in: that must not
// replace what is here.
const HTMX_HEADERS = { "HX-Request": "true" };
const isPortalResponse = (response) => response?.headers.has("X-Fragment");
document.addEventListener("htmx:before:response", (event) => {
  const { sourceElement, response } = event.detail.ctx;
  const isWanted = !isBackgroundRequest(sourceElement) || (!isStreamElement(sourceElement) && response.status < 400);
  if (isEventStream(response) || (isPortalResponse(response) && isWanted)) return;
  event.preventDefault();
  response.raw.body?.cancel(); // what nobody reads keeps its connection
  reportUnreachable(sourceElement);
});
// The next thing that the person does takes it away; what the page does by itself does not.
document.addEventListener("htmx:before:request", ({ detail: { ctx } }) => {
  if (!isBackgroundRequest(ctx?.sourceElement)) notices.replaceChildren();
});
