// Finds the turns of a page, and runs functions when the page changes.
export const RUNNING_TURN = ".turn:is([data-state=waiting], [data-state=streaming])";
export const log = document.getElementById("log"); // the element that contains the turns
export const newestTurn = () => [...document.querySelectorAll(".turn")].at(-1);
export const newestMessage = () => {
  const message = newestTurn()?.querySelector(".turn__said").lastChild.cloneNode(true);
  message?.querySelectorAll(".code__copy").forEach((button) => button.remove());
  return message?.textContent;
};

// Run a function now and after content changes, throttled: a long reply arrives in thousands of
// patches.
export const THROTTLE_MS = 100;
export const onContentChange = (act, after = THROTTLE_MS) => {
  let waiting;
  const later = () => { waiting ??= setTimeout(() => { waiting = undefined; act(); }, after); };
  for (const event of ["htmx:after:swap", "htmx:sse:after:message"]) document.addEventListener(event, later);
  act();
};
