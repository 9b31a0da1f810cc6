// Runs on conversation pages, after main.js and before htmx opens the stream of a reply.
import "./reply_stream.js";
import "./reply_updates.js";
import "./spoken_replies.js";
import "./new_turns.js";
import "./waiting_time.js";
import { onContentChange } from "./content_changes.js";
import { messages } from "./messages.js";
import { RUNNING_TURN } from "./turns.js";

// Accessible names and keyboard access for parts of a reply.
// Elements that are too wide can be scrolled by keyboard; others must not be tab stops.
const SCROLLABLE_SELECTOR = ":is(.turn__content, .turn__reply) :is(.table, .code pre, .formula)";
const names = { SECTION: messages.table, PRE: messages.code, BDI: messages.formula };
const makeScrollable = () => {
  for (const part of document.querySelectorAll(SCROLLABLE_SELECTOR)) {
    const scrolls = part.scrollWidth > part.clientWidth;
    if (scrolls) part.tabIndex = 0;
    else part.removeAttribute("tabindex");
    part.role = scrolls ? "group" : null;
    const { language = "" } = part.parentElement.dataset;
    part.ariaLabel = scrolls ? `${names[part.tagName]} ${language}`.trim() : null;
  }
};
// The link text of a footnote's backlink is an arrow, so it needs a label.
const labelBacklinks = () => {
  for (const backlink of document.querySelectorAll("[role=doc-backlink]")) {
    backlink.ariaLabel = messages.backToReference.replace("%(label)s", () => backlink.hash.split("-").at(-1));
  }
};
onContentChange(makeScrollable, 1000);
onContentChange(labelBacklinks);
addEventListener("resize", makeScrollable);

// The title of the tab says that a reply runs, and in a hidden tab that it is finished. A hidden tab has no
// stream (reply_stream.js), so it asks.
const RUNNING = "… ";
const FINISHED = "✓ ";
const ASK_EVERY_MS = 10000;
let mark = "";
const showMark = (next) => {
  const isShown = mark && document.title.startsWith(mark);
  if (next === mark && (isShown || !mark)) return;
  document.title = next + (isShown ? document.title.slice(mark.length) : document.title);
  mark = next;
};
const updateTitle = () => {
  if (document.hidden && mark) return;
  showMark(document.querySelector(RUNNING_TURN) ? RUNNING : "");
};
const askWhetherFinished = async () => {
  const source = document.querySelector(`${RUNNING_TURN} [hx-sse\\:connect]`);
  if (!document.hidden || mark !== RUNNING || !source) return;
  const url = source.getAttribute("hx-sse:connect").replace(/events\?.*/, "text");
  const response = await fetch(url, { method: "HEAD" }).catch(() => undefined);
  const state = response?.headers.get("Reply-State");
  if (document.hidden && state && !["waiting", "streaming"].includes(state)) showMark(FINISHED);
};
onContentChange(updateTitle, 500);
document.addEventListener("visibilitychange", updateTitle);
setInterval(askWhetherFinished, ASK_EVERY_MS);
