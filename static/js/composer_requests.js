// Requests of the message box, and what their answers put into it.
import { announce } from "./announcements.js";
import { dispatch, savedTexts, state } from "./composer.js";
import { isEditRequest, showEditInUrl } from "./edits.js";
import { editedTurn, fitBox, givenText, textarea } from "./message_box.js";
import { messages } from "./messages.js";
import { afterPaint, saveDraft, sessionStore } from "./storage.js";
import { channel } from "./tabs.js";
import { newestMessage, newestTurn } from "./turns.js";

document.addEventListener("htmx:config:request", (event) => {
  const { ctx } = event.detail;
  if (!ctx.sourceElement?.matches(".composer form")) return;
  // Cancel a second request: the first response replaces the form, so the second response would have no form
  // to replace.
  if (ctx.sourceElement.matches(".htmx-request")) event.preventDefault();
  else dispatch({ type: "sending", text: ctx.request.body.get("content") });
});
document.addEventListener("htmx:before:response", (event) => {
  const { ctx } = event.detail;
  const to = ctx.response?.headers.get("HX-Redirect");
  // A redirect that does not lead to a conversation leads to the sign-in page: in that case, the
  // message was not sent.
  if (!to?.split("?")[0].includes("/conversations/")) return;
  channel.postMessage(to);
  if (!ctx.sourceElement.matches(".composer form")) return;
  sessionStore.set("sent", location.pathname);
  saveDraft(to, dispatch({ type: "redirected" }).carry);
});
// On the first page, the message is shown at once, pale until the portal accepts it.
let firstMessage;
document.addEventListener("htmx:before:request", ({ detail: { ctx } }) => {
  const main = ctx.request.method === "POST" && ctx.sourceElement.closest?.(".home");
  if (!main) return;
  firstMessage = ctx;
  const message = document.createElement("p");
  main.prepend(Object.assign(message, { className: "turn__content", dir: "auto" }));
  message.textContent = ctx.request.body.get("content");
  textarea().toggleAttribute("data-sent", textarea().value === message.textContent);
});
document.addEventListener("htmx:finally:request", ({ detail: { ctx } }) => {
  if (!ctx || ctx !== firstMessage || ctx.response?.headers.get("HX-Redirect")) return;
  document.querySelector(".home > .turn__content")?.remove();
  textarea()?.removeAttribute("data-sent");
});
document.addEventListener("input", () => textarea()?.removeAttribute("data-sent"));
let caret = [];
let newestId;
document.addEventListener("htmx:before:swap", () => {
  caret = [textarea()?.selectionStart, textarea()?.scrollTop];
  newestId = newestTurn()?.id;
});
document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
  if (!textarea()) return;
  const isAdded = ctx.sourceElement?.id === "log" && newestTurn()?.id !== newestId;
  if (isAdded) dispatch({ type: "turnsAdded", newestMessage: newestMessage() });
  // With these headers, the response is a notice, not a form.
  if (ctx.hx?.retarget || ctx.hx?.reswap) return;
  // The choice of a twin is in the composer, but changes no text.
  if (!ctx.sourceElement?.closest(".composer, [data-edit-message]") || ctx.sourceElement.matches("select")) return;
  if (isComposing) afterComposition = () => showAnswer(ctx);
  else showAnswer(ctx);
});
const showAnswer = (ctx) => {
  const isSwitch = isEditRequest(ctx);
  const before = state;
  dispatch({ type: "answered", given: givenText(), turn: editedTurn(), isSwitch, saved: savedTexts() });
  if (state.shown !== before.shown) showEditInUrl();
  fitBox();
  const end = textarea().value.length;
  const [at, top] = state.text === before.text ? caret : [end, 0];
  if (!isSwitch) textarea().setSelectionRange(at, at);
  textarea().scrollTop = top;
  if (!isSwitch) return;
  announce(document.querySelector(".composer .note")?.firstElementChild.textContent ?? messages.editCanceled);
  textarea().focus();
  textarea().setSelectionRange(end, end);
};
// A new text would end the composition of an input method, so it waits.
let isComposing = false;
let afterComposition;
document.addEventListener("compositionstart", ({ target }) => { isComposing = target.id === "message"; });
document.addEventListener("compositionend", () => {
  isComposing = false;
  afterComposition?.();
  afterComposition = undefined;
});

afterPaint(() => {
  // Delete the draft of a sent message: this new page proves that the message arrived.
  const sent = sessionStore.get("sent");
  if (sent && sent !== location.pathname) saveDraft(sent, "");
});
// At DOMContentLoaded, spoken_replies.js has read "sent".
document.addEventListener("DOMContentLoaded", () => afterPaint(() => {
  if (sessionStore.get("sent") !== location.pathname) sessionStore.set("sent", "");
}));
