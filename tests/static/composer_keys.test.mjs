// Keys outside of text fields: they write into the message box, or they are shortcuts.
import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { createState, update } from "../../static/js/composer_state.js";

const empty = createState({ given: "", turn: "" });

describe("keys outside of text fields", () => {
  const press = (key, changes) => ({
    type: "keyPressed", key, hasShortcuts: true, hasBox: true, isInField: false, at: 10_000, ...changes,
  });
  const escape = press("Escape");
  const closing = press("Escape", { isTaken: true });
  const click = { type: "clicked", isByKey: false, at: 10_000 };
  const effects = (...events) => events.reduce(([now], event) => update(now, event), [empty, {}])[1];

  test("write into the message box", () => {
    for (const key of ["n", "j", "N", "é", "?", "𝒳", "Dead"]) assert.deepEqual(effects(press(key)), { write: true });
  });
  test("are left to the browser if they are no text", () => {
    for (const key of [" ", "Enter", "Tab", "ArrowDown", "F5"]) assert.ok(!effects(press(key)).write, key);
    assert.deepEqual(effects(press("n", { isCommand: true })), {});
  });
  test("are shortcuts after Escape", () => {
    assert.deepEqual(effects(escape), { leave: true });
    assert.deepEqual(effects(escape, press("n")), { shortcut: true });
    assert.deepEqual(effects(escape, press("n", { isInField: true })), {});
  });
  test("are no shortcuts after an Escape that closes something", () => {
    assert.deepEqual(effects(closing), {});
    assert.deepEqual(effects(closing, press("n")), { write: true });
    assert.deepEqual(effects(escape, closing, press("n")), { shortcut: true });
  });
  test("are no shortcuts after the next click, except one by key", () => {
    assert.deepEqual(effects(escape, click, press("n")), { write: true });
    assert.deepEqual(effects(escape, { ...click, isByKey: true }, press("n")), { shortcut: true });
  });
  test("are no shortcuts when the box has had the focus again", () => {
    assert.deepEqual(effects(escape, { type: "focused" }, press("n")), { write: true });
  });
  test("do nothing if the person has switched shortcuts off", () => {
    const off = { hasShortcuts: false };
    assert.deepEqual(effects(press("n", off)), {});
    assert.deepEqual(effects(escape, press("n", off)), {});
    assert.deepEqual(effects(press("ArrowUp", { ...off, isInField: true, isInBox: true })), {});
  });
  test("are shortcuts at any time on a page without a message box", () => {
    const onList = press("n", { hasBox: false });
    assert.deepEqual(effects(onList), { shortcut: true });
    assert.deepEqual(effects(onList, click, onList), { shortcut: true });
    assert.deepEqual(effects(press("n", { hasBox: false, isInField: true })), {});
  });
});
