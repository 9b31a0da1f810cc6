// Shared helpers. Scripts are optional: every page works without them.
document.documentElement.classList.add("scripts");
// The CSP forbids the style element that htmx would insert; no transition needs the settle delay.
Object.assign(htmx.config, { includeIndicatorCSS: false, defaultSettleDelay: 0 });
const hasKeyboard = matchMedia("(hover: hover) and (pointer: fine)").matches;
const notices = document.getElementById("notices");
const RUNNING_TURN = ".turn:is([data-state=waiting], [data-state=streaming])";
const newestTurn = () => [...document.querySelectorAll(".turn")].at(-1);

// Storage that ignores errors: browsers may forbid it. Missing items are empty strings, and setting one removes the item.
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

// Storage access reads the disk: run it after the first paint, which is visible in the next frame at the earliest.
const afterPaint = (act) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(act)));

// The server formats the times of the next page in this time zone (web/i18n/timezone.py).
afterPaint(() => {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  document.cookie = `zone=${timeZone};path=/;max-age=31536000`;
});

// Remove the parameters of the action notice from the URL, so that a reload does not repeat it.
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

// Run a function now and after content changes, throttled: a long reply arrives in thousands of
// patches.
const THROTTLE_MS = 100;
const onContentChange = (act, after = THROTTLE_MS) => {
  let waiting;
  const later = () => { waiting ??= setTimeout(() => { waiting = undefined; act(); }, after); };
  for (const event of ["htmx:after:swap", "htmx:sse:after:message"]) document.addEventListener(event, later);
  act();
};

// Remove the notice "Still replying" when the reply has ended.
onContentChange(() => {
  if (!document.querySelector(RUNNING_TURN)) document.querySelector("[data-remove-on-reply-end]")?.remove();
});

// Send the newest turn of this page with each form: another window may have added turns.
document.addEventListener("htmx:config:request", ({ detail: { ctx } }) => {
  const newest = ctx.request.method === "POST" && newestTurn();
  if (newest) ctx.request.body.set("seen", newest.dataset.turn);
});

// Search runs while typing: do not submit the form as well.
document.addEventListener("submit", (event) => { if (event.target.role === "search") event.preventDefault(); });

// Report a failed request; the text stays in the box.
const reportUnreachable = (element) => {
  if (isBackgroundRequest(element)) return;
  const hasText = element?.matches(".composer form");
  showNotice(`${navigator.onLine ? messages.unreachable : messages.offline} ${hasText ? messages.kept : messages.again}`);
};
document.addEventListener("htmx:error", ({ detail: { ctx } }) => reportUnreachable(ctx?.sourceElement));
// A proxy may respond instead of the portal, with an error or a sign-in page, which must not replace
// content of this page.
const HTMX_HEADERS = { "HX-Request": "true" };
const isPortalResponse = (response) => response?.headers.has("X-Fragment");
document.addEventListener("htmx:before:response", (event) => {
  const { sourceElement, response } = event.detail.ctx;
  const isWanted = !isBackgroundRequest(sourceElement) || (!isStreamElement(sourceElement) && response.status < 400);
  if (isEventStream(response) || (isPortalResponse(response) && isWanted)) return;
  event.preventDefault();
  response.raw.body?.cancel(); // an unread body keeps its connection open
  reportUnreachable(sourceElement);
});
// The person's next request removes the notice; background requests do not.
document.addEventListener("htmx:before:request", ({ detail: { ctx } }) => {
  if (!isBackgroundRequest(ctx?.sourceElement)) notices.replaceChildren();
});
