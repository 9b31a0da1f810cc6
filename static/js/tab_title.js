// The title of the tab says that a reply runs. A hidden tab receives no reply (reply_stream.js), so it says nothing.
import { onContentChange, RUNNING_TURN } from "./page.js";

const MARK = "… ";
let isMarked = false;
const update = () => {
  const isRunning = !document.hidden && Boolean(document.querySelector(RUNNING_TURN));
  if (isRunning && !(isMarked && document.title.startsWith(MARK))) document.title = MARK + document.title;
  else if (!isRunning && isMarked && document.title.startsWith(MARK)) document.title = document.title.slice(MARK.length);
  isMarked = isRunning;
};
onContentChange(update, 500);
document.addEventListener("visibilitychange", update);
