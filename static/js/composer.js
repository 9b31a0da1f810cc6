// The composer: binds the state machine of the message box (composer_state.js) to clicks, typing and storage.
import { announce } from "./announcements.js";
import { createState, DRAFT, REJECTED, update } from "./composer_state.js";
import { focusComposer, focusComposerOnArrival } from "./focus.js";
import { editedTurn, givenText, picker, textarea, updateCounter } from "./message_box.js";
import { messages } from "./messages.js";
import { afterPaint, deleteCopy, readCopy, readDraft, saveCopy, saveDraft } from "./storage.js";
import { newestMessage } from "./turns.js";

const path = location.pathname;
export const savedTexts = () => ({ draft: readDraft(path).text, copy: readCopy(path, editedTurn()) });

const save = (shown, text) => {
  const turn = shown === REJECTED ? "" : shown;
  if (shown === DRAFT) saveDraft(path, text, picker()?.value);
  else if (text === null) deleteCopy(path, turn);
  else saveCopy(path, turn, text);
};

export let state = createState({ given: givenText(), turn: editedTurn() });
export const dispatch = (event) => {
  const [next, effects] = update(state, { at: performance.now(), ...event });
  state = next;
  for (const [shown, text] of Object.entries(effects.save ?? {})) save(shown, text);
  if (effects.text !== undefined && effects.text !== textarea().value) textarea().value = effects.text;
  if (effects.text !== undefined) updateCounter();
  if (effects.announce) announce(messages[effects.announce]);
  return effects;
};

document.addEventListener("focusin", ({ target }) => { if (target.id === "message") dispatch({ type: "focused" }); });
document.addEventListener("click", (event) => {
  const within = event.target.closest?.(".composer__send, .composer__stop")?.classList;
  const button = within && (within.contains("composer__stop") ? "stop" : "send");
  if (dispatch({ type: "clicked", button, isByKey: !event.detail }).prevent) event.preventDefault();
}, true);
document.addEventListener("input", ({ target }) => {
  if (target.id !== "message") return;
  dispatch({ type: "typed", text: target.value });
  if (updateCounter() >= 0 && target.value.trim()) document.querySelector("[data-remove-on-input]")?.remove();
});
document.addEventListener("change", ({ target }) => {
  if (target !== picker()) return;
  textarea().placeholder = target.dataset.placeholder.replace("{}", () => target.selectedOptions[0].text);
  if (state.shown === DRAFT) save(DRAFT, textarea().value);
  // In a customizable select, an option has the focus. The browser moves it to the select after this event.
  if (document.activeElement.matches("option")) setTimeout(focusComposer);
});
// The card of a twin chooses it for a text that has been typed.
document.addEventListener("click", (event) => {
  const { twin } = event.target.closest?.("[data-twin]")?.dataset ?? {};
  if (!twin || !picker() || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  if (state.shown !== DRAFT || !textarea().value || textarea().disabled) return;
  event.preventDefault();
  saveDraft(path, textarea().value, twin);
  location.assign(`?${new URLSearchParams({ twin })}#message`);
});
document.addEventListener("focus-moved", () => dispatch({ type: "focusMoved" }));
document.addEventListener("reply-ended", () => dispatch({ type: "replyEnded" }));

focusComposerOnArrival();
afterPaint(() => {
  if (!textarea()) return;
  const twin = state.shown === DRAFT && readDraft(path).twin;
  dispatch({
    type: "loaded",
    given: givenText(),
    text: textarea().value,
    saved: savedTexts(),
    newestMessage: newestMessage(),
  });
  // The draft is for the twin that was chosen for it.
  if (![...picker()?.options ?? []].some(({ value, selected }) => value === twin && !selected)) return;
  picker().value = twin;
  picker().dispatchEvent(new Event("change", { bubbles: true }));
});
