// Edits: of the newest message in its place, and of copies of earlier messages in the message box.
import { announce } from "./announcements.js";
import { DOUBLE_CLICK_MS } from "./composer_state.js";
import { sendsOnEnter } from "./focus.js";
import { editedTurn, fitBox, textarea } from "./message_box.js";
import { messages } from "./messages.js";
import { removeNotices } from "./notices.js";
import { deleteCopy, readCopy, saveCopy } from "./storage.js";
import { newestTurn } from "./turns.js";

// "Edit" asks for the message without loading another page. The server answers with a form for its place, or with
// the composer.
let cameFromBox = false;
const formOf = (button) => button.closest(".turn")?.querySelector(".edit");
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-edit-message]");
  if (!button || !textarea() || textarea().disabled || !globalThis.htmx) return;
  event.preventDefault();
  const form = formOf(button);
  if (form) return form.elements.content.focus();
  if (button.matches(".htmx-request")) return;
  cameFromBox = document.activeElement === textarea();
  const query = new URLSearchParams(location.search);
  query.set("edit", button.value);
  const url = `${button.formAction.split("#")[0]}?${query}`;
  htmx.ajax("GET", url, { source: button, target: "#composer", swap: "outerMorph" });
});
let editRequest;
// htmx forgets the button of the request when the button is replaced.
export const isEditRequest = (ctx) => ctx === editRequest;
document.addEventListener("htmx:before:response", (event) => {
  const { ctx } = event.detail;
  if (!ctx.sourceElement?.matches("[data-edit-message]")) return;
  editRequest = ctx;
  // Do not replace a form that is sending a message: the response to the message needs the form.
  if (document.querySelector(".composer form.htmx-request")) event.preventDefault();
});
// The URL names the edited turn, so that a reload shows the same text.
export const showEditInUrl = () => {
  const url = new URL(location);
  if (editedTurn()) url.searchParams.set("edit", editedTurn());
  else url.searchParams.delete("edit");
  history.replaceState(history.state, "", url);
};

// The form in the place of the newest message. A reload of the page keeps its text.
const turnOf = (form) => form.elements.edited.value;
let openedAt = -Infinity;
document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
  const { sourceElement: source, response } = ctx;
  if (source?.matches(".edit") && response.status < 300) {
    deleteCopy(location.pathname, turnOf(source));
    source.remove();
  } else if (source?.matches(".edit")) {
    source.toggleAttribute("data-refused", response.status === 409);
  }
  const form = source?.matches("[data-edit-message]") && formOf(source);
  if (!form) return;
  openedAt = performance.now();
  const box = form.elements.content;
  box.value = readCopy(location.pathname, turnOf(form)) ?? box.value;
  fitBox(box);
  box.focus();
  box.setSelectionRange(box.value.length, box.value.length);
  box.scrollTop = box.scrollHeight;
  form.scrollIntoView({ block: "nearest" });
});
document.addEventListener("input", ({ target }) => {
  if (!target.matches(".edit textarea")) return;
  fitBox(target);
  saveCopy(location.pathname, turnOf(target.form), target.value);
});
const closeEdit = (form) => {
  const button = form.parentElement.querySelector("[data-edit-message]");
  form.remove();
  removeNotices();
  (cameFromBox ? textarea() : button).focus();
  announce(messages.editCanceled);
};
document.addEventListener("click", (event) => {
  const button = event.target.closest?.(".edit button");
  // The second click of a double click on "Edit" is not meant for what has appeared there.
  if (button && performance.now() - openedAt < DOUBLE_CLICK_MS) return event.preventDefault();
  if (!button?.matches("[data-cancel]")) return;
  deleteCopy(location.pathname, turnOf(button.form));
  closeEdit(button.form);
}, true);
// If it was refused because the conversation has gone on, the text is for the version that is shown now; after
// another message, it is sent at the end. Until then, the same form is sent again, which adds its message once.
document.addEventListener("htmx:config:request", ({ detail: { ctx } }) => {
  const { sourceElement: source, request } = ctx;
  const field = source?.matches(".edit[data-refused]") && source.elements.replaces;
  if (!field) return;
  source.removeAttribute("data-refused");
  const turn = source.closest(".turn");
  if (turn === newestTurn()) {
    field.value = turn.dataset.turn;
    request.body.set("replaces", field.value);
  } else {
    field.remove();
    request.body.delete("replaces");
  }
});
// Escape keeps the text for the next "Edit".
document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  if (!target.matches?.(".edit textarea")) return;
  const sends = key === "Enter" && !event.shiftKey && (sendsOnEnter() || event.ctrlKey || event.metaKey);
  if (key !== "Escape" && !sends) return;
  event.preventDefault();
  if (!sends) closeEdit(target.form);
  else if (!event.repeat) target.form.requestSubmit();
});
