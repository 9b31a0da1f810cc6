// Runs on conversation pages, after main.js and before htmx opens the stream of a reply.
import "./reply_stream.js";
import "./reply_updates.js";
import "./spoken_replies.js";
import "./new_turns.js";
import "./tab_title.js";
import { messages } from "./messages.js";
import { onContentChange } from "./page.js";

// Accessible names and keyboard access for parts of a reply.
// Elements that are too wide can be scrolled by keyboard; others must not be tab stops.
const SCROLLABLE_SELECTOR = ":is(.turn__said, .turn__reply) :is(.table, .code pre, .formula)";
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
  for (const back of document.querySelectorAll("[role=doc-backlink]")) {
    back.ariaLabel = messages.back.replace("%(label)s", () => back.hash.split("-").at(-1));
  }
};
onContentChange(makeScrollable, 1000);
onContentChange(labelBacklinks);
addEventListener("resize", makeScrollable);
