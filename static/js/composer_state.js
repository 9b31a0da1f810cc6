// The message box as a state machine: `update` takes a state and an event, and returns a new state and
// effects. It knows neither the page nor the storage nor the clock; composer.js and keys.js bind it to them.
//
// The box shows one of three texts, each of which is saved on its own: the draft, a message that the
// server rejected, or a copy of an earlier message that is being edited. `state.shown` is DRAFT,
// REJECTED or the id of the edited turn.
//
// The effects are:
// - `text`: show this text in the box.
// - `save`: save these texts by name (DRAFT, REJECTED or the id of a turn); null deletes a text.
// - `carry`: save this text as the draft of the new conversation.
// - `announce`: announce the message with this name.
// - `prevent`: prevent the default action of the event.
// - `send`: send the message.
// - `cancel`: cancel the edit.
// - `edit`: edit the last message.
// - `stop`: stop the running reply.
// - `leave`: leave the text field.
// - `write`: focus the box before the browser inserts the character.
// - `shortcut`: run the shortcut of the key, if it has one.
export const DRAFT = "draft";
export const REJECTED = "rejected";
// After a script has moved the focus, a key press within this time was probably meant for the
// element that had the focus before.
const FOCUS_MOVED_MS = 2000;
export const DOUBLE_CLICK_MS = 500;

const hasFocusJustMoved = ({ focusMovedAt }, at) => at - focusMovedAt < FOCUS_MOVED_MS;
const isText = (key) => /^(\S|Dead)$/u.test(key);
const isEdit = (shown) => shown !== DRAFT && shown !== REJECTED;
const joinParagraphs = (...paragraphs) => paragraphs.filter(Boolean).join("\n\n");
const typedSince = ({ text, sending }) => (text.startsWith(sending) ? text.slice(sending.length).trimStart() : text);
// Combine a rejected message with the text that was typed while it was being sent.
const withTypedSince = (given, { text, sending }) => {
  if (text === sending) return given;
  return text.startsWith(sending) ? text : joinParagraphs(given, text);
};

// `given` is the text with which the server filled the box, `turn` the edited turn.
export const createState = ({ given, turn }) => ({
  shown: given ? turn || REJECTED : DRAFT,
  text: given,
  sending: "",
  pressed: undefined, // which of Send and Stop; they replace each other in one place
  pressedAt: -Infinity,
  focusMovedAt: -Infinity,
  hasLeft: false, // the person left the box for shortcuts
});

const HANDLERS = {
  // The page has been painted. The person may have typed before the paint.
  loaded(state, { given, text, saved, newestMessage }) {
    const save = {};
    if (given && given === saved.draft) save[DRAFT] = "";
    if (text !== given) save[state.shown] = text;
    else if (state.shown !== DRAFT) text = saved.copy ?? given;
    else {
      save[REJECTED] = null;
      text = saved.draft;
      if (text === newestMessage) text = save[DRAFT] = "";
    }
    return [{ ...state, text }, { text, save }];
  },

  typed(state, { text }) {
    // A click or key press after typing is intended, so it is not ignored.
    const next = { ...state, text, pressed: undefined, focusMovedAt: -Infinity };
    return [next, { save: { [state.shown]: text } }];
  },

  sending: (state, { text }) => [{ ...state, text, sending: text }, {}],

  // The message has started a conversation on another page. Empty the box, in case the person goes
  // back.
  redirected: (state) => [{ ...state, text: "" }, { text: "", carry: typedSince(state) }],

  // The server has answered after sending or, if `isSwitch`, after Edit or Cancel.
  answered(state, { given, turn, isSwitch, saved }) {
    const was = state.shown;
    const shown = turn || (given && was !== DRAFT ? REJECTED : DRAFT);
    const save = {};
    let text = shown === DRAFT ? saved.draft : saved.copy ?? given;
    if (!isSwitch) {
      // Another text is shown now: the message was accepted, and the hidden draft appears again.
      if (shown !== was) text = joinParagraphs(text, typedSince(state));
      else text = given ? withTypedSince(given, state) : typedSince(state);
    }
    if (shown !== was && !turn) save[was] = null;
    if (!isSwitch || shown === DRAFT) save[shown] = text;
    const effects = { text, save };
    if (shown === DRAFT && was !== DRAFT && saved.draft) effects.announce = "draft";
    return [{ ...state, shown, text, sending: text }, effects];
  },

  // Delete a draft that equals the newest message: the draft was sent by another window, or by this
  // window, which lost the response.
  turnsAdded(state, { newestMessage }) {
    if (state.shown !== DRAFT || state.text !== newestMessage) return [state, {}];
    return [{ ...state, text: "" }, { text: "", save: { [DRAFT]: "" } }];
  },

  // If the page has a box, keys pressed outside of text fields write into the box. Escape leaves the box: keys are then
  // shortcuts, until a click, or until the box has the focus again. `isTaken` means that Escape does something
  // else, such as closing a menu.
  keyPressed(state, event) {
    const { key, hasShift, hasControl, isRepeated, isCommand } = event;
    const { isInField, isInBox, isInComposer, isRunning, isTaken, hasShortcuts, hasBox, sendsOnEnter, at } = event;
    // A key other than Enter and Space shows that the person has noticed the moved focus.
    const next = key === "Enter" || key === " " ? state : { ...state, focusMovedAt: -Infinity };
    // Escape cancels editing, or else stops the reply if nobody writes; pressed again, it leaves the box.
    if (key === "Escape" && isInComposer && isEdit(state.shown)) return [next, { prevent: true, cancel: true }];
    const writes = isInBox ? state.text : isInField;
    if (key === "Escape" && !writes && !isTaken && isRunning) return [next, { prevent: true, stop: true }];
    const edits = key === "ArrowUp" && hasShortcuts && isInBox && !state.text && !hasShift && !isCommand;
    if (edits) return [next, { prevent: true, edit: true }];
    if (key === "Escape") return isTaken ? [next, {}] : [{ ...next, hasLeft: true }, { leave: true }];
    // An Enter key that is held down may have been pressed on the link that led to this page.
    if (key === "Enter" && !hasShift && isInBox && (hasControl || sendsOnEnter)) {
      return [next, { prevent: true, send: !isRepeated && !hasFocusJustMoved(state, at) }];
    }
    if (isInField || isCommand || !hasShortcuts) return [next, {}];
    return [next, hasBox && !state.hasLeft ? { write: isText(key) } : { shortcut: true }];
  },

  focused: (state) => [{ ...state, hasLeft: false }, {}],

  // A click on Send or Stop (`button`), or elsewhere. Only the pointer can double-click.
  clicked(before, { button, isByKey, at }) {
    const state = { ...before, hasLeft: before.hasLeft && isByKey };
    if (!button) return [{ ...state, pressed: undefined }, {}];
    const isDoubleClick = state.pressed && button !== state.pressed && at - state.pressedAt < DOUBLE_CLICK_MS;
    if (isByKey ? hasFocusJustMoved(state, at) : isDoubleClick) return [state, { prevent: true }];
    return [{ ...state, pressed: button, pressedAt: at }, {}];
  },

  // Send has just replaced Stop. A click on Send may be meant for Stop: treat it as a double click.
  replyEnded: (state, { at }) => [{ ...state, pressed: "stop", pressedAt: at }, {}],

  focusMoved: (state, { at }) => [{ ...state, focusMovedAt: at }, {}],
};

export const update = (state, event) => HANDLERS[event.type](state, event);
