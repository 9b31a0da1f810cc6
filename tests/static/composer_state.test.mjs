// The message box as a state machine: no text is lost, and nothing is sent by accident.
import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { DRAFT, REJECTED, createState, update } from "../../static/js/composer_state.js";

const empty = createState({ given: "", turn: "" });
const rejected = createState({ given: "Rejected", turn: "" });
const editing = createState({ given: "Hello", turn: "turn1" });
const nothing = { draft: "", copy: undefined };

// Apply events; return the last state and the effects of the last event.
const after = (state, ...events) => events.reduce(([now], event) => update(now, event), [state, {}]);
const type = (text) => ({ type: "typed", text });
const send = (text) => ({ type: "sending", text });
const replace = (event) => ({ type: "answered", given: "", turn: "", isSwitch: false, saved: nothing, ...event });
const load = (event) => ({ type: "loaded", given: "", text: event.given ?? "", saved: nothing, ...event });

describe("keys", () => {
  const enter = {
    type: "keyPressed", key: "Enter", hasShift: false, hasControl: false,
    isInField: true, isInBox: true, isInComposer: true, hasShortcuts: true, hasBox: true, sendsOnEnter: true, at: 10_000,
  };
  const sends = (changes) => Boolean(after(empty, { ...enter, ...changes })[1].send);

  test("Enter sends if the person prefers that", () => {
    assert.deepEqual(after(empty, enter)[1], { prevent: true, send: true });
    assert.deepEqual(after(empty, { ...enter, sendsOnEnter: false })[1], {});
  });
  test("Ctrl+Enter always sends", () => assert.ok(sends({ sendsOnEnter: false, hasControl: true })));
  test("Shift+Enter starts a line", () => assert.ok(!sends({ hasShift: true })));
  test("Enter elsewhere does not send", () => assert.ok(!sends({ isInBox: false })));
  test("Enter that is held since an earlier page does not send", () => assert.ok(!sends({ isRepeated: true })));

  test("Enter just after the focus moved to the box is ignored", () => {
    const moved = { type: "focusMoved", at: 9_000 };
    assert.deepEqual(after(empty, moved, enter)[1], { prevent: true, send: false });
    assert.ok(after(empty, moved, { ...enter, at: 11_000 })[1].send);
    assert.ok(after(empty, moved, type("more"), enter)[1].send);
    assert.ok(after(empty, moved, { ...enter, key: "End" }, enter)[1].send);
    assert.ok(!after(empty, moved, { ...enter, key: " " }, enter)[1].send);
  });

  test("Escape cancels an edit", () => {
    const escape = { ...enter, key: "Escape" };
    assert.deepEqual(after(editing, escape)[1], { prevent: true, cancel: true });
    for (const [state, change] of [[editing, { isInComposer: false }], [empty, {}], [rejected, {}]]) {
      assert.deepEqual(after(state, { ...escape, ...change })[1], { leave: true });
    }
  });
  test("Escape outside of text fields stops a running reply", () => {
    const escape = { ...enter, key: "Escape", isRunning: true, isInBox: false };
    assert.equal(after(empty, type("Half"), { ...escape, isInField: false })[1].stop, true);
    assert.equal(after(empty, { ...escape, isInField: true })[1].stop, undefined);
  });
  test("Escape in an empty box stops a running reply", () => {
    const escape = { ...enter, key: "Escape", isRunning: true };
    assert.deepEqual(after(empty, escape)[1], { prevent: true, stop: true });
    for (const change of [{ isTaken: true }, { isInBox: false }]) {
      assert.ok(!after(empty, { ...escape, ...change })[1].stop);
    }
    assert.deepEqual(after(empty, type("more"), escape)[1], { leave: true });
    assert.deepEqual(after(editing, escape)[1], { prevent: true, cancel: true });
  });
  test("ArrowUp in an empty box edits the last message", () => {
    const arrow = { ...enter, key: "ArrowUp" };
    assert.deepEqual(after(empty, arrow)[1], { prevent: true, edit: true });
    for (const change of [{ isInBox: false }, { hasShift: true }, { isCommand: true }]) {
      assert.ok(!after(empty, { ...arrow, ...change })[1].edit);
    }
    assert.ok(!after(empty, type("more"), arrow)[1].edit);
  });
});

describe("clicks on Send and Stop", () => {
  const click = (button, at, isByKey = false) => ({ type: "clicked", button, isByKey, at });
  const isIgnored = (...events) => Boolean(after(empty, ...events)[1].prevent);

  test("the second click of a double click on the other button is ignored", () => {
    assert.ok(isIgnored(click("send", 1_000), click("stop", 1_499)));
    assert.ok(isIgnored(click("stop", 1_000), click("send", 1_499)));
    assert.ok(!isIgnored(click("send", 1_000), click("stop", 1_500)));
    assert.ok(!isIgnored(click("send", 1_000), click("send", 1_100)));
  });
  test("typing or another click in between makes the click intended", () => {
    assert.ok(!isIgnored(click("stop", 1_000), type("more"), click("send", 1_100)));
    assert.ok(!isIgnored(click("stop", 1_000), click(undefined, 1_050), click("send", 1_100)));
  });
  test("a click on Send just after the reply has ended was meant for Stop", () => {
    assert.ok(isIgnored({ type: "replyEnded", at: 1_000 }, click("send", 1_499)));
    assert.ok(!isIgnored({ type: "replyEnded", at: 1_000 }, click("send", 1_500)));
  });
  test("the shortcut for Stop works just after a click on Send", () => {
    assert.ok(!isIgnored(click("send", 1_000), click("stop", 1_100, true)));
  });
  test("Space or Enter on a button that has just got the focus is ignored", () => {
    assert.ok(isIgnored({ type: "focusMoved", at: 1_000 }, click("stop", 2_999, true)));
    assert.ok(!isIgnored({ type: "focusMoved", at: 1_000 }, click("stop", 3_000, true)));
    assert.ok(!isIgnored({ type: "focusMoved", at: 1_000 }, click("stop", 1_100)));
  });
});

describe("drafts", () => {
  test("typed text is saved as the draft", () => {
    assert.deepEqual(after(empty, type("Half"))[1], { save: { [DRAFT]: "Half" } });
  });
  test("the draft is restored", () => {
    const [state, effects] = after(empty, load({ saved: { draft: "Half" } }));
    assert.equal(effects.text, "Half");
    assert.equal(state.text, "Half");
    assert.equal(effects.save[DRAFT], undefined);
  });
  test("text typed before the page was ready wins over the draft", () => {
    const [, effects] = after(empty, load({ text: "Early", saved: { draft: "Old" } }));
    assert.deepEqual(effects, { text: "Early", save: { [DRAFT]: "Early" } });
  });
  test("a draft whose response was lost is discarded when its message is on the page", () => {
    const lost = { saved: { draft: "Sent" }, newestMessage: "Sent" };
    assert.deepEqual(after(empty, load(lost))[1], { text: "", save: { [REJECTED]: null, [DRAFT]: "" } });
    const [state] = after(empty, type("Sent"), send("Sent"));
    const added = { type: "turnsAdded", newestMessage: "Sent" };
    assert.deepEqual(after(state, added)[1], { text: "", save: { [DRAFT]: "" } });
    assert.deepEqual(after(state, type("Sent, and more"), added)[1], {});
    assert.deepEqual(after(createState({ given: "Sent", turn: "turn1" }), added)[1], {});
  });
  test("a sent message leaves no draft", () => {
    const [state, effects] = after(empty, type("Hello"), send("Hello"), replace({}));
    assert.deepEqual(effects, { text: "", save: { [DRAFT]: "" } });
    assert.equal(state.shown, DRAFT);
  });
});

describe("text typed while a message is being sent", () => {
  const sending = (...typed) => after(empty, type("First"), send("First"), ...typed.map(type))[0];

  test("stays after the message", () => {
    for (const [typed, text] of [["First second", "second"], ["Second", "Second"], ["", ""], ["First", ""]]) {
      assert.deepEqual(after(sending(typed), replace({}))[1], { text, save: { [DRAFT]: text } });
    }
  });
  test("is kept with the message if that is rejected", () => {
    const cases = [["First second", "First second"], ["Second", "First\n\nSecond"], ["", "First"], ["First", "First"]];
    for (const [typed, text] of cases) {
      assert.deepEqual(after(sending(typed), replace({ given: "First" }))[1], { text, save: { [DRAFT]: text } });
    }
  });
  test("is kept with an edit that is rejected", () => {
    const [state] = after(editing, send("Hello again"), type("Second"));
    const [next, effects] = after(state, replace({ given: "Hello again", turn: "turn1", saved: { draft: "Half", copy: "Second" } }));
    const text = "Hello again\n\nSecond";
    assert.deepEqual(effects, { text, save: { turn1: text } });
    assert.equal(next.shown, "turn1");
  });
  test("moves to the new conversation", () => {
    const redirected = { type: "redirected" };
    assert.deepEqual(after(sending("First second"), redirected)[1], { text: "", carry: "second" });
    assert.deepEqual(after(sending("Second"), redirected)[1], { text: "", carry: "Second" });
    assert.deepEqual(after(sending(), redirected)[1], { text: "", carry: "" });
  });
  test("is sent with the next message", () => {
    const [state] = after(sending("First second"), replace({}), send("second"), replace({}));
    assert.equal(state.text, "");
  });
});

describe("edits", () => {
  const draft = { draft: "Half", copy: undefined };
  const edit = replace({ given: "Hello", turn: "turn1", isSwitch: true, saved: draft });

  test("Edit shows the earlier message and leaves the draft alone", () => {
    const [state, effects] = after(empty, type("Half"), edit);
    assert.deepEqual(effects, { text: "Hello", save: {} });
    assert.equal(state.shown, "turn1");
    assert.deepEqual(after(state, type("Hello you"))[1], { save: { turn1: "Hello you" } });
  });
  test("an unsent edit is restored when its message is edited again or the page reloads", () => {
    const saved = { draft: "Half", copy: "Hello you" };
    assert.equal(after(empty, { ...edit, saved })[1].text, "Hello you");
    assert.equal(after(editing, load({ given: "Hello", saved }))[1].text, "Hello you");
    assert.equal(after(editing, load({ given: "Hello", saved: { draft: "", copy: "" } }))[1].text, "");
  });
  test("editing another message keeps the unsent edit", () => {
    const other = replace({ given: "Bye", turn: "turn2", isSwitch: true });
    assert.deepEqual(after(empty, edit, type("Hello you"), other)[1], { text: "Bye", save: {} });
  });
  test("Cancel brings the draft back and drops the edit", () => {
    const cancel = replace({ isSwitch: true, saved: draft });
    const [state, effects] = after(empty, edit, type("Hello you"), cancel);
    assert.deepEqual(effects, { text: "Half", save: { turn1: null, [DRAFT]: "Half" }, announce: "draft" });
    assert.equal(state.shown, DRAFT);
  });
  test("a sent edit brings the draft back, with text typed since", () => {
    const [state] = after(empty, edit, type("Hello you"), send("Hello you"));
    const sent = replace({ saved: draft });
    assert.deepEqual(after(state, sent)[1], { text: "Half", save: { turn1: null, [DRAFT]: "Half" }, announce: "draft" });
    assert.equal(after(state, type("Since"), sent)[1].text, "Half\n\nSince");
    assert.equal(after(state, type("Hello you and more"), sent)[1].text, "Half\n\nand more");
  });
});

describe("rejected messages", () => {
  test("text typed over one is saved apart from the draft, and restored", () => {
    assert.deepEqual(after(rejected, type("Shorter"))[1], { save: { [REJECTED]: "Shorter" } });
    const saved = { draft: "Half", copy: "Shorter" };
    assert.deepEqual(after(rejected, load({ given: "Rejected", saved }))[1], { text: "Shorter", save: {} });
  });
  test("one that equals the draft replaces it", () => {
    const saved = { draft: "Rejected", copy: undefined };
    assert.deepEqual(after(rejected, load({ given: "Rejected", saved }))[1], { text: "Rejected", save: { [DRAFT]: "" } });
  });
  test("sending one brings the draft back", () => {
    const sent = replace({ saved: { draft: "Half", copy: "Shorter" } });
    const [state, effects] = after(rejected, type("Shorter"), send("Shorter"), sent);
    assert.deepEqual(effects, { text: "Half", save: { [REJECTED]: null, [DRAFT]: "Half" }, announce: "draft" });
    assert.equal(state.shown, DRAFT);
  });
  test("one that is rejected again stays", () => {
    const again = replace({ given: "Still too long", saved: { draft: "Half", copy: "Still too long" } });
    const [state, effects] = after(rejected, type("Still too long"), send("Still too long"), again);
    assert.deepEqual(effects, { text: "Still too long", save: { [REJECTED]: "Still too long" } });
    assert.equal(state.shown, REJECTED);
  });

  const edited = after(rejected, type("Typed over"), replace({ given: "Hello", turn: "turn1", isSwitch: true }))[0];
  const saved = { draft: "Half", copy: "Typed over" };
  test("text typed over one returns when an edit is cancelled", () => {
    const [state, effects] = after(edited, replace({ given: "Rejected", isSwitch: true, saved }));
    assert.deepEqual(effects, { text: "Typed over", save: { turn1: null } });
    assert.equal(state.shown, REJECTED);
  });
  test("text typed over one returns when an edit is sent", () => {
    const sent = replace({ given: "Rejected", saved });
    const [state, effects] = after(edited, send("Hello"), sent);
    assert.deepEqual(effects, { text: "Typed over", save: { turn1: null, [REJECTED]: "Typed over" } });
    assert.equal(state.shown, REJECTED);
    assert.equal(after(edited, send("Hello"), type("Hello since"), sent)[1].text, "Typed over\n\nsince");
  });
});
