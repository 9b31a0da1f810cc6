// The title of the tab says that a reply runs, or that it has ended while another tab was open.
import { onContentChange, RUNNING_TURN } from "./page.js";

const RUNS = "… ";
const ENDED = "✓ ";
let wasRunning = false;
let shown = "";
const setMark = (mark) => {
  const title = document.title.startsWith(shown) ? document.title.slice(shown.length) : document.title;
  shown = mark;
  if (document.title !== mark + title) document.title = mark + title;
};
const update = () => {
  const isRunning = Boolean(document.querySelector(RUNNING_TURN));
  if (isRunning) setMark(RUNS);
  else if (wasRunning && document.hidden) setMark(ENDED);
  else if (wasRunning || !document.hidden) setMark("");
  wasRunning = isRunning;
};
onContentChange(update, 500);
document.addEventListener("visibilitychange", update);
