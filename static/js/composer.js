// The message box: binds its state machine (composer_state.js) to keys, clicks, requests and storage,
// and counts characters.
import { createState, DRAFT, REJECTED, update } from "./composer_state.js";
import { messages } from "./messages.js";
import {
  announce,
  channel,
  focusAndShowTurn,
  focusComposerOnArrival,
  hasKeyboard,
  newestMessage,
  RUNNING_TURN,
  TEXT_FIELDS,
} from "./page.js";
import { afterPaint, deleteCopy, readCopy, readDraft, saveCopy, saveDraft, sessionStore } from "./storage.js";

const root = document.documentElement;
const path = location.pathname;
const textarea = () => document.getElementById("message");
const givenText = () => textarea()?.defaultValue ?? "";
const picker = () => document.querySelector(".picker select");
const editedTurn = () => textarea()?.form.elements.edited?.value ?? "";
const savedTexts = () => ({ draft: readDraft(path).text, copy: readCopy(path, editedTurn()) });

const save = (shown, text) => {
  const turn = shown === REJECTED ? "" : shown;
  if (shown === DRAFT) saveDraft(path, text, picker()?.value);
  else if (text === null) deleteCopy(path, turn);
  else saveCopy(path, turn, text);
};
// Firefox before 152 and Safari before 26.2 have no `field-sizing`.
const growsByItself = CSS.supports("field-sizing: content");
const fitBox = () => {
  if (growsByItself) return;
  textarea().style.blockSize = "auto";
  textarea().style.blockSize = `${textarea().scrollHeight}px`;
};
const updateCounter = () => {
  fitBox();
  const { limit } = textarea().dataset;
  const left = limit - [...textarea().value].length;  // counts code points, as the server does
  const shown = document.querySelector(".counter");
  const template = left < 0 ? shown.dataset.overLimitText : left < limit / 10 ? shown.dataset.remainingText : "";
  // Latin digits, as on the rest of the page. The first use of a locale takes 20 ms: format only a shown number.
  shown.textContent = template.replace("{}", () => Math.abs(left).toLocaleString(`${root.lang}-u-nu-latn`));
  const changed = shown.classList.toggle("counter--over", left < 0) !== (textarea().ariaInvalid === "true");
  textarea().ariaInvalid = left < 0 ? "true" : null;
  if (changed && !document.querySelector(".composer [role=alert]")) announce(shown.textContent);
  return left;
};

let state = createState({ given: givenText(), turn: editedTurn() });
const dispatch = (event) => {
  const [next, effects] = update(state, { at: performance.now(), ...event });
  state = next;
  for (const [shown, text] of Object.entries(effects.save ?? {})) save(shown, text);
  if (effects.text !== undefined && effects.text !== textarea().value) textarea().value = effects.text;
  if (effects.text !== undefined) updateCounter();
  if (effects.announce) announce(messages[effects.announce]);
  return effects;
};

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
    hasShortcuts: root.dataset.shortcuts !== "off",
    hasBox: Boolean(textarea() && !textarea().disabled),
    isInBox: target.id === "message",
    isRunning: Boolean(document.querySelector(RUNNING_TURN)),
    isInComposer: Boolean(target.closest?.(".composer")),
    // Touch keyboards have no Shift+Enter.
    sendsOnEnter: hasKeyboard && root.dataset.enter !== "newline",
  });
  if (prevent) event.preventDefault();
  if (send) target.form.requestSubmit();
  if (cancel) document.querySelector(".composer [data-edit-message]").click();
  if (edit) [...document.querySelectorAll(".turn [data-edit-message]")].at(-1)?.click();
  if (stop) document.querySelector(".composer__stop").click();
  if (leave) field?.blur();
  if (write) textarea().focus();
  if (shortcut) runShortcut(event);
});
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
  if (target === picker() && state.shown === DRAFT) save(DRAFT, textarea().value);
});
document.addEventListener("focus-moved", () => dispatch({ type: "focusMoved" }));
document.addEventListener("reply-ended", () => dispatch({ type: "replyEnded" }));

// "Edit" loads an earlier message into the box without loading another page.
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-edit-message]");
  if (!button || !textarea() || textarea().disabled || !globalThis.htmx) return;
  event.preventDefault();
  const url = `${button.formAction.split("#")[0]}?turn=${button.value}`;
  htmx.ajax("GET", url, { source: button, target: "#composer", swap: "outerMorph" });
});
let editRequest;
let caret = [];
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
  if (ctx.sourceElement?.matches("[data-edit-message]")) editRequest = ctx;
  // Do not replace a form that is sending a message: the response to the message needs the form.
  if (ctx === editRequest && document.querySelector(".composer form.htmx-request")) return event.preventDefault();
  const to = ctx.response?.headers.get("HX-Redirect");
  // A redirect that does not lead to a conversation leads to the sign-in page: in that case, the
  // message was not sent.
  if (!to?.split("?")[0].includes("/conversations/")) return;
  channel.postMessage(to);
  if (!ctx.sourceElement.matches(".composer form")) return;
  sessionStore.set("sent", path);
  saveDraft(to, dispatch({ type: "redirected" }).carry);
});
document.addEventListener("htmx:before:swap", () => { caret = [textarea()?.selectionStart, textarea()?.scrollTop]; });
document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
  if (!textarea()) return;
  if (ctx.sourceElement?.id === "log") dispatch({ type: "turnsAdded", newestMessage: newestMessage() });
  // With these headers, the response is a notice, not a form.
  if (ctx.hx?.retarget || ctx.hx?.reswap) return;
  // The choice of a twin is in the composer, but changes no text.
  if (!ctx.sourceElement?.closest(".composer, [data-edit-message]") || ctx.sourceElement.matches("select")) return;
  if (isComposing) afterComposition = () => showAnswer(ctx);
  else showAnswer(ctx);
});
const showAnswer = (ctx) => {
  const isSwitch = ctx === editRequest;
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
// The URL names the edited turn, so that a reload shows the same text.
const showEditInUrl = () => {
  const url = new URL(location);
  if (editedTurn()) url.searchParams.set("turn", editedTurn());
  else url.searchParams.delete("turn");
  history.replaceState(history.state, "", url);
};

focusComposerOnArrival();
afterPaint(() => {
  // Delete the draft of a sent message: this new page proves that the message arrived.
  const sent = sessionStore.get("sent");
  if (sent && sent !== path) saveDraft(sent, "");
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
// At DOMContentLoaded, spoken_replies.js has read "sent".
document.addEventListener("DOMContentLoaded", () => afterPaint(() => {
  if (sessionStore.get("sent") !== path) sessionStore.set("sent", "");
}));

// Keyboard shortcuts of one or two keys; people can switch them off. They do not run for
// keys that are typed into a text field or the message box.
const SHORTCUTS = {
  "?": ["#shortcuts-link"],
  "/": ["[type=search]", "#to-search"],
  m: ["#message", "#newest-turns-link", "[type=search]"],
  n: ["#new-conversation"],
  s: [`main:has(${RUNNING_TURN}) .composer__stop`],
  gc: ["#to-conversations"],
};
const KEY_SEQUENCE_MS = 1500;
// The keys j and k go to the next and the previous turn: from the focused turn or the search hit,
// or else from the visible part of the page.
const TURN_STEPS = { j: 1, k: -1 };
const step = (direction) => {
  const turns = [...document.querySelectorAll("#earlier-turns, .turn, #later-turns")];
  const { activeElement, body } = document;
  const from = activeElement === body ? document.querySelector("mark:target") : activeElement;
  const index = turns.findIndex((turn) => turn.contains(from));
  const top = (turn) => turn.getBoundingClientRect().top;
  if (index >= 0) return turns[index + direction] ?? turns[index];
  return direction < 0
    ? turns.findLast((turn) => top(turn) < innerHeight)
    : turns.find((turn) => top(turn) > 0);
};
const find = (places = []) => places.map((place) => document.querySelector(place)).find(Boolean);
// On a keyboard layout without Latin letters, use the position of the key.
const letter = ({ key, code }) => {
  if (key === "؟") return "?";
  return /^[!-~]$/.test(key) || !code?.startsWith("Key") ? key : code.slice(3).toLowerCase();
};
let before = "";
let began = 0;
const runShortcut = (event) => {
  const key = letter(event);
  if (event.timeStamp - began > KEY_SEQUENCE_MS) before = "";
  const target = key in TURN_STEPS ? step(TURN_STEPS[key]) : find(SHORTCUTS[before + key] ?? SHORTCUTS[key]);
  [before, began] = [key === "g" ? key : "", event.timeStamp];
  if (!target) {
    // Any other key means that the person starts to type: focus the message box.
    if (/^[^gjks\s]$/.test(key)) find(["#message"])?.focus();
    return;
  }
  event.preventDefault();
  if (target.matches(".turn")) focusAndShowTurn(target);
  else if (key in TURN_STEPS || target.matches(TEXT_FIELDS)) target.focus();
  else target.click();
};

// These links lead to pages; with scripts, a dialog opens instead.
const openInDialog = async (link, className) => {
  // A link in a menu that closes cannot get the focus back: its button gets it.
  // The search page has the field itself.
  const field = className === "dialog--search" && document.querySelector("main .search--all input");
  if (field) return field.focus();
  const returnTo = link.checkVisibility() && link.closest("#more") ? document.getElementById("more-button") : undefined;
  try {
    const { openDialog } = await import("./dialogs.js");
    for (const popover of document.querySelectorAll(":popover-open")) popover.hidePopover();
    await openDialog(link.href, className, returnTo);
  } catch {
    location.assign(link.href);
  }
};
for (const [id, className] of [["shortcuts-link", "dialog--shortcuts"], ["to-search", "dialog--search"]]) {
  const link = document.getElementById(id);
  link?.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    openInDialog(link, className);
  });
}
addEventListener("keydown", (event) => {
  if (letter(event).toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
  const link = document.getElementById("to-search");
  if (!link || document.querySelector("dialog[open]")) return;
  event.preventDefault();
  link.click();
});
