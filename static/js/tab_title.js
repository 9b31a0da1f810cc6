// The title of the tab says that a reply runs, and in a hidden tab that it is finished. A hidden tab has no
// stream (reply_stream.js), so it asks.
import { onContentChange, RUNNING_TURN } from "./page.js";

const RUNNING = "… ";
const FINISHED = "✓ ";
const ASK_EVERY_MS = 10000;
let mark = "";
const show = (next) => {
  const isShown = mark && document.title.startsWith(mark);
  if (next === mark && (isShown || !mark)) return;
  document.title = next + (isShown ? document.title.slice(mark.length) : document.title);
  mark = next;
};
const update = () => {
  if (document.hidden && mark) return;
  show(document.querySelector(RUNNING_TURN) ? RUNNING : "");
};
const ask = async () => {
  const source = document.querySelector(`${RUNNING_TURN} [hx-sse\\:connect]`);
  if (!document.hidden || mark !== RUNNING || !source) return;
  const url = source.getAttribute("hx-sse:connect").replace(/events\?.*/, "text");
  const response = await fetch(url, { method: "HEAD" }).catch(() => undefined);
  const state = response?.headers.get("Reply-State");
  if (document.hidden && state && !["waiting", "streaming"].includes(state)) show(FINISHED);
};
onContentChange(update, 500);
document.addEventListener("visibilitychange", update);
setInterval(ask, ASK_EVERY_MS);
