// When a lost reply stream connects again, and when a silent stream is lost. This module knows neither
// the page nor htmx nor the clock; reply_stream.js binds it.
const FIRST_RETRY_MS = [500, 2000];
const MAX_RETRY_UNREACHABLE_MS = 8000; // no response: the portal is restarting
export const MAX_RETRY_MS = 30000; // something else responds
// A stream that is silent for longer is lost: the portal sends an event every three seconds
// (Log.keepalive_seconds in twindow/chat/log/log.py).
const SILENCE_MS = 6500;

// Browsers must not connect all at once when the portal is back: `random` is between 0 and 1.
export const firstRetryDelay = (random) => FIRST_RETRY_MS[0] + (FIRST_RETRY_MS[1] - FIRST_RETRY_MS[0]) * random;
export const maxRetryDelay = (hasResponse) => (hasResponse ? MAX_RETRY_MS : MAX_RETRY_UNREACHABLE_MS);
// The delay after attempts that brought no event; `hasResponse` is about the last one.
export const retryDelay = (first, emptyAttempts, hasResponse = true) =>
  Math.min(first * 2 ** emptyAttempts, maxRetryDelay(hasResponse));

// With the event `reconnect`, the portal closes the stream and sets the delay. Any other event shows
// that the stream works.
export const isSignOfLife = (event) => event !== "reconnect";
// How long a stream may be silent after an event.
export const maxSilence = (event, delay) => SILENCE_MS + (event === "reconnect" ? delay : 0);
