// The announcer: each sentence once, in order, and in parts that are short enough for a screen reader.
import assert from "node:assert/strict";
import { describe, test } from "node:test";

// What announcements.js needs of a page: the live region, and timers that the test runs.
const region = { lang: "", textContent: "" };
const timers = [];
globalThis.document = { getElementById: () => region, documentElement: { lang: "en" } };
globalThis.setTimeout = (act) => timers.push(act);
globalThis.clearTimeout = () => timers.splice(0);
const { announce, dropAnnouncements } = await import("../../static/js/announcements.js");

// Run all timers; return what the live region has said.
const heard = () => {
  const said = [];
  while (timers.length) {
    timers.shift()();
    if (region.textContent) said.push(region.textContent);
  }
  return said;
};

describe("announcements", () => {
  test("that wait together are one, and the live region is cleared afterwards", () => {
    for (const words of ["Thinking…", "One two", " Three. "]) announce(words);
    assert.deepEqual(heard(), ["Thinking… One two. Three."]);
    assert.equal(region.textContent, "");
  });
  test("of nothing, or of the same sentence again, are not heard", () => {
    for (const words of ["", undefined, "Once.", "Once."]) announce(words);
    assert.deepEqual(heard(), ["Once."]);
  });
  test("in another language are apart and tagged", () => {
    announce("Gesendet.", "de");
    timers.shift()();
    assert.equal(region.lang, "de");
    announce("Done.");
    assert.deepEqual(heard(), ["Done."]);
    announce("Eins.", "de");
    announce("Two.");
    assert.deepEqual(heard(), ["Eins.", "Two."]);
  });
  test("that wait can be dropped", () => {
    announce("Not heard.");
    dropAnnouncements();
    assert.deepEqual(heard(), []);
  });
  test("of long text are in parts, and words and addresses stay whole", () => {
    const sentences = Array.from({ length: 60 }, (_, n) => `Sentence ${n} is 3.14 words long, or so.`);
    const passage = "beautiful things are here ".repeat(60).trim();
    const links = Array.from({ length: 60 }, (_, n) => `See a${n}.example.org for more.`);
    for (const text of [sentences.join(" "), passage, links.join(" "), "x".repeat(2000)]) {
      announce(text);
      const parts = heard();
      assert.ok(parts.length > 1 && parts.every((part) => part.length <= 600));
      if (text.includes(" ")) assert.equal(parts.join(" ").replaceAll("here.", "here"), text);
    }
  });
});
