// Every page works without this file. It only makes some things better.
document.documentElement.classList.add("scripts");

// Enter sends, Shift+Enter starts a line. While an input method composes (229 in Safari), Enter is
// its own; and a touch keyboard has no Shift+Enter.
const hasKeyboard = matchMedia("(hover: hover) and (pointer: fine)").matches;
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
  if (!hasKeyboard) return;
  if (!event.target.matches(".composer textarea")) return;
  event.preventDefault();
  if (event.target.value.trim()) event.target.form.requestSubmit();
});

// The first connection to a reply is not tried again by htmx itself; this asks once more, later.
const FIRST_CONNECT_DELAY = 1000;
document.addEventListener("htmx:finally:request", (event) => {
  const { sourceElement: element, response } = event.detail.ctx ?? {};
  if (!element?.isConnected || !element.matches("[hx-sse\\:connect]")) return;
  if (element._htmx?.sse || response?.status === 200) return;
  setTimeout(() => htmx.trigger(element, "sse-retry"), FIRST_CONNECT_DELAY);
});

// A reply that has begun says so, for themes and assistive technology.
document.addEventListener("htmx:sse:after:message", (event) => {
  const turn = event.target.closest?.(".turn[data-state=waiting]");
  if (turn?.querySelector(".turn__reply")?.textContent) turn.dataset.state = "streaming";
});

// The page stays at its end while the reader is there, and where they are when they are not.
const NEAR_END = 120;
const page = document.scrollingElement;
const atEnd = () => page.scrollHeight - page.scrollTop - page.clientHeight < NEAR_END;
let following = true;
addEventListener("scroll", () => { following = atEnd(); }, { passive: true });
const log = document.getElementById("log");
if (log) {
  const toEnd = () => { if (following) page.scrollTop = page.scrollHeight; };
  new ResizeObserver(toEnd).observe(log);
  if (!location.hash && !location.search) toEnd();
}

// Times are the reader's own; without this file they are the server's, and their title says so.
const TODAY = { hour: "2-digit", minute: "2-digit" };
const BEFORE = { day: "numeric", month: "long" };
const localise = (root) => {
  for (const time of root.querySelectorAll("time")) {
    const then = new Date(time.dateTime);
    const today = then.toDateString() === new Date().toDateString();
    time.textContent = then.toLocaleString(document.documentElement.lang, today ? TODAY : BEFORE);
    time.title = then.toLocaleString();
  }
};
localise(document);
document.addEventListener("htmx:after:swap", () => localise(document));

// Whoever was about to type goes on typing: a button that vanished must not take the focus along.
const typeOn = () => {
  const idle = document.activeElement === document.body;
  if (hasKeyboard && idle) document.getElementById("message")?.focus({ preventScroll: true });
};
if (document.querySelector(".turn[data-state=waiting], .turn[data-state=streaming]")) typeOn();
document.addEventListener("htmx:after:swap", typeOn);

// "Still replying" is no longer true when the reply has ended.
document.addEventListener("htmx:sse:close", () => document.querySelector("#composer .note")?.remove());

// What could not be sent stays where it is, with a sentence.
document.addEventListener("htmx:error", (event) => {
  if (event.detail.ctx?.sourceElement?.matches("[hx-sse\\:connect]")) return;
  const note = Object.assign(document.createElement("p"), { className: "note" });
  note.textContent = "The portal cannot be reached. Your text is still here; try again.";
  document.getElementById("notices").replaceChildren(note);
});
// The next thing that the person does takes it away; a reply that goes on does not.
document.addEventListener("htmx:before:request", (event) => {
  if (event.detail.ctx?.sourceElement?.matches("[hx-sse\\:connect]")) return;
  document.getElementById("notices").replaceChildren();
});

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const source = document.querySelector(button.dataset.copy);
  try {
    await navigator.clipboard.writeText(source.textContent);
    button.textContent = "Copied";
  } catch {
    // Plain http has no clipboard for scripts: the person can copy what is selected.
    getSelection().selectAllChildren(source);
    button.textContent = "Selected";
  }
});
