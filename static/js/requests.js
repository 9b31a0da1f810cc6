// Requests of htmx: what they carry, whether the portal answered, and notices when it did not.
import { announce } from "./announcements.js";
import { messages } from "./messages.js";
import { noticeText, removeNotices, showNotice } from "./notices.js";
import { RUNNING_TURN } from "./turns.js";

export const isEventStream = (response) => response?.headers.get("Content-Type")?.startsWith("text/event-stream");
export const isStreamElement = (element) => element?.isConnected && element.matches("[hx-sse\\:connect]");
// Requests that the page sends by itself; no input is lost when they fail.
const isBackgroundRequest = (element) => isStreamElement(element) || ["log", "recent"].includes(element?.id);

// Report a failed request; the text stays in the box.
let reportCount = 0;
export const reportUnreachable = (element) => {
  if (isBackgroundRequest(element)) return;
  reportCount += 1;
  const hasText = element?.matches(".composer form");
  const failure = navigator.onLine ? messages.unreachable : messages.offline;
  showNotice(`${failure} ${hasText ? messages.textSaved : messages.tryAgain}`);
};
document.addEventListener("htmx:error", ({ detail: { ctx } }) => reportUnreachable(ctx?.sourceElement));
// A response of the portal to a later request takes the report back, unless a message was not sent. "You're offline"
// stays until the browser is online.
export const removeUnreachable = () => {
  const isReport = noticeText().startsWith(messages.unreachable);
  if (isReport && !noticeText().endsWith(messages.textSaved)) removeNotices();
};
// A proxy may respond instead of the portal, with an error or a sign-in page, which must not replace
// content of this page.
const isPortalResponse = (response) => response?.headers.has("X-Fragment");
document.addEventListener("htmx:before:response", (event) => {
  const { sourceElement, response, earlierReports } = event.detail.ctx;
  if (isPortalResponse(response) && earlierReports === reportCount) removeUnreachable();
  const isUseful = response.status < 400 && !response.headers.has("HX-Redirect");
  const isWanted = !isBackgroundRequest(sourceElement) || (!isStreamElement(sourceElement) && isUseful);
  if (isEventStream(response) || (isPortalResponse(response) && isWanted)) return;
  event.preventDefault();
  response.raw.body?.cancel(); // an unread body keeps its connection open
  reportUnreachable(sourceElement);
});
// The person's next request removes any notice.
document.addEventListener("htmx:before:request", ({ detail: { ctx } }) => {
  if (ctx) ctx.earlierReports = reportCount;
  if (!isBackgroundRequest(ctx?.sourceElement)) removeNotices();
});

// Return the text of a fragment. If the person is not signed in, open the sign-in page and throw.
export const fetchFragment = async (url) => {
  const response = await fetch(url, { headers: { "HX-Request": "true" } });
  const signInUrl = response.headers.get("HX-Redirect");
  if (signInUrl) location.assign(signInUrl);
  if (signInUrl || !response.ok || !isPortalResponse(response)) throw response;
  return response.text();
};

addEventListener("offline", () => {
  const meanwhile = document.querySelector(RUNNING_TURN) ? messages.replyContinues : "";
  showNotice(`${messages.offline} ${meanwhile}`);
});
addEventListener("online", () => {
  removeNotices();
  announce(messages.online);
  const search = document.querySelector("[type=search]");
  if (search?.value) htmx.trigger(search, "search");
});
