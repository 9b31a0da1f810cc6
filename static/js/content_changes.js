// Run a function now and after content changes, throttled: a long reply arrives in thousands of
// patches.
const THROTTLE_MS = 100;
export const onContentChange = (act, after = THROTTLE_MS) => {
  let waiting;
  const later = () => { waiting ??= setTimeout(() => { waiting = undefined; act(); }, after); };
  for (const event of ["htmx:after:swap", "htmx:sse:after:message"]) document.addEventListener(event, later);
  act();
};
