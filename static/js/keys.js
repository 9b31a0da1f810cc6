// Keys: composer_state.js decides whether they send, write, run a shortcut, or are left to the browser.
import { dispatch } from "./composer.js";
import { sendsOnEnter, TEXT_FIELDS } from "./focus.js";
import { textarea } from "./message_box.js";
import { runShortcut } from "./shortcuts.js";
import { RUNNING_TURN } from "./turns.js";

// The keys of an input method, such as for Japanese, are not for the page. Safari reports the Enter that ends a
// composition only by its code.
addEventListener("keydown", (event) => {
  if (event.isComposing || event.keyCode === 229) event.stopImmediatePropagation();
}, true);

// AltGr, which types characters, is Control and Alt at once on some systems.
const isCommand = (event) => event.metaKey || ((event.ctrlKey || event.altKey) && !event.getModifierState("AltGraph"));
// Listen on the window, so that the listeners of the elements of the page run first.
addEventListener("keydown", (event) => {
  const { key, target } = event;
  if (document.querySelector("dialog[open]")) return;
  const field = target.closest?.(TEXT_FIELDS);
  // In a search field with text, the browser uses the first Escape to clear it.
  const clears = field?.type === "search" && field.value !== "";
  const { prevent, send, cancel, edit, stop, leave, write, shortcut } = dispatch({
    type: "keyPressed",
    key,
    hasShift: event.shiftKey,
    hasControl: event.ctrlKey || event.metaKey,
    isRepeated: event.repeat,
    isCommand: isCommand(event),
    isInField: Boolean(field),
    isTaken: event.defaultPrevented || clears || Boolean(document.querySelector(":popover-open")),
    hasShortcuts: document.documentElement.dataset.shortcuts !== "off",
    hasBox: Boolean(textarea() && !textarea().disabled),
    isInBox: target.id === "message",
    isRunning: Boolean(document.querySelector(RUNNING_TURN)),
    isInComposer: Boolean(target.closest?.(".composer")),
    sendsOnEnter: sendsOnEnter(),
  });
  if (prevent) event.preventDefault();
  if (send) target.form.requestSubmit();
  if (cancel) document.querySelector("#editing-note :is(a, button)").click();
  if (edit) [...document.querySelectorAll(".turn [data-edit-message]")].at(-1)?.click();
  if (stop) document.querySelector(".composer__stop").click();
  if (leave) field?.blur();
  if (write) textarea().focus();
  if (shortcut) runShortcut(event);
});
