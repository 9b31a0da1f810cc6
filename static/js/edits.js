// Edits: of the newest message in its place, and of copies of earlier messages in the message box.
import { announce } from "./announcements.js";
import { sendsOnEnter } from "./focus.js";
import { editedTurn, fitBox, textarea } from "./message_box.js";
import { messages } from "./messages.js";
import { deleteCopy, readCopy, saveCopy } from "./storage.js";

// "Edit" asks for the message without loading another page. The server answers with a form for its place, or with
// the composer.
const editForm = () => document.querySelector(".edit");
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-edit-message]");
  if (!button || !textarea() || textarea().disabled || !globalThis.htmx) return;
  event.preventDefault();
  if (editForm()) return editForm().elements.content.focus();
  const url = `${button.formAction.split("#")[0]}?edit=${button.value}`;
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
document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
  const { sourceElement: source, response } = ctx;
  if (source?.matches(".edit") && response.status < 300) deleteCopy(location.pathname, turnOf(source));
  if (!source?.matches("[data-edit-message]") || !editForm()) return;
  const box = editForm().elements.content;
  box.value = readCopy(location.pathname, turnOf(editForm())) ?? box.value;
  fitBox(box);
  box.focus();
  box.setSelectionRange(box.value.length, box.value.length);
});
document.addEventListener("input", ({ target }) => {
  if (!target.matches(".edit textarea")) return;
  fitBox(target);
  saveCopy(location.pathname, turnOf(target.form), target.value);
});
const cancelEdit = (form) => {
  const button = form.parentElement.querySelector("[data-edit-message]");
  deleteCopy(location.pathname, turnOf(form));
  form.remove();
  button.focus();
  announce(messages.editCanceled);
};
document.addEventListener("click", ({ target }) => {
  if (target.closest(".edit [data-cancel]")) cancelEdit(target.form);
});
document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  if (!target.matches?.(".edit textarea")) return;
  const sends = key === "Enter" && !event.shiftKey && (sendsOnEnter() || event.ctrlKey || event.metaKey);
  if (key !== "Escape" && !sends) return;
  event.preventDefault();
  if (!sends) cancelEdit(target.form);
  else if (!event.repeat) target.form.requestSubmit();
});
