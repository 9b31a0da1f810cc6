// Other tabs of this browser, and the list in the sidebar, which follows them.
import { localStore } from "./storage.js";

// Other tabs tell the paths of conversations that they have changed.
export const channel = new BroadcastChannel("tab-sync");

const fetchRecent = async () => {
  const recent = document.querySelector("#recent:not(:has(.title-form))");
  if (document.hidden || !recent) return;
  await globalThis.htmx?.ajax("GET", recent.dataset.url, { source: recent, target: recent, swap: "outerMorph" });
};
// Update the list in the sidebar, unless a title is being edited there. The focus stays in its place. While one
// request runs, one other waits; htmx would not tell when that has ended.
let runningUpdate = Promise.resolve();
let nextUpdate;
export const updateRecent = () => nextUpdate ??= runningUpdate.then(() => {
  nextUpdate = undefined;
  return runningUpdate = fetchRecent();
});
// The list also follows other devices, and the date.
document.addEventListener("visibilitychange", updateRecent);
channel.addEventListener("message", updateRecent);
const UPDATE_EVERY_MS = 10000;
setInterval(() => {
  if (document.querySelector("#recent [data-reply=running]")) updateRecent();
}, UPDATE_EVERY_MS);

// After signing out in one tab, the others load again, which shows the sign-in page.
const SIGNED_OUT = "signed-out";
if (new URLSearchParams(location.search).has("signed_out")) localStore.set(SIGNED_OUT, Date.now());
addEventListener("storage", ({ key }) => { if (key === SIGNED_OUT) location.reload(); });
