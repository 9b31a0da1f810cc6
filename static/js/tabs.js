// Other tabs of this browser, and the list in the sidebar, which follows them.
import { localStore } from "./storage.js";

// Other tabs tell the paths of conversations that they have changed.
export const channel = new BroadcastChannel("tab-sync");

// Update the list in the sidebar, unless it is being used.
export const updateRecent = () => {
  if (!document.hidden) globalThis.htmx?.trigger("#recent:not(:has(:focus))", "update");
};
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
