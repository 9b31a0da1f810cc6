// Edits of earlier messages.
import { editedTurn, textarea } from "./message_box.js";

// "Edit" loads an earlier message into the box without loading another page.
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-edit-message]");
  if (!button || !textarea() || textarea().disabled || !globalThis.htmx) return;
  event.preventDefault();
  const url = `${button.formAction.split("#")[0]}?turn=${button.value}`;
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
  if (editedTurn()) url.searchParams.set("turn", editedTurn());
  else url.searchParams.delete("turn");
  history.replaceState(history.state, "", url);
};
