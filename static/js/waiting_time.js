// How long a reply takes, from ten seconds on. The text is in an attribute: patches replace the content.
import { RUNNING_TURN } from "./turns.js";

const MIN_SECONDS = 10;
const since = new WeakMap();
const inSeconds = (count) => count.toLocaleString(
  document.documentElement.lang,
  { style: "unit", unit: "second", unitDisplay: "narrow" },
);
setInterval(() => {
  const place = document.querySelector(`${RUNNING_TURN} .turn__progress`);
  if (!place) return;
  if (!since.has(place)) since.set(place, Date.now());
  const seconds = Math.round((Date.now() - since.get(place)) / 1000);
  if (seconds >= MIN_SECONDS) place.dataset.seconds = inSeconds(seconds);
}, 1000);
