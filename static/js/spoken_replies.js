// Screen reader announcements of replies, by whole sentences while they are written.
import { announce, dropAnnouncements, SENTENCE_END } from "./announcements.js";
import { onContentChange } from "./content_changes.js";
import { messages } from "./messages.js";
import { sessionStore } from "./storage.js";
import { newestTurn } from "./turns.js";

const SPEAK_INTERVAL_MS = 1000;
const BLOCK_SELECTOR = ":scope > :not(ul, ol, .table), :scope > :is(ul, ol) > li, :scope > .table tr";
const SENTENCE_TAGS = new Set(["LI", "P", "PRE", "TR", "H3", "H4", "H5", "H6", "BLOCKQUOTE"]);
const SILENT_SELECTOR = "sup, button, [role=doc-backlink], .note__details";
// The text of a node, as a screen reader would read it.
const spokenText = (node) => {
  if (!node.tagName) return node.data ?? "";
  if (node.matches(SILENT_SELECTOR)) return "";
  if (node.localName === "math") return node.getAttribute("alttext") ?? messages.formula;
  let text = [...node.childNodes].map(spokenText).join("");
  if (node.matches("li > :is(ul, ol)")) text = `: ${text}`;
  if (node.matches("li:has(> :is(ul, ol))")) text = text.replace(/\s*: /, ": ").replace(/([\p{Term}…]): /gu, "$1 ");
  if (node.matches("ol > li")) {
    const { start, children } = node.parentElement;
    text = `${start + [].indexOf.call(children, node)}: ${text.trimStart()}`;
  }
  if (node.matches(".noted > b")) text += ": ";
  if (node.matches("td:not(:last-child), th:not(:last-child)")) return `${text}, `;
  if (!SENTENCE_TAGS.has(node.tagName) || !text.trim()) return text;
  const name = node.matches("pre") ? messages.code + ": " : node.matches("thead tr") ? messages.table + ": " : "";
  text = text.trimEnd().replace(/[ ,]{1,9}$/, "");
  return name + text + (SENTENCE_END.test(text) ? "\n" : ".\n");
};
let sentences;
// Progress is counted in non-blank sentences, because the last block of a running reply is rendered
// again as it grows, and its characters may change.
const spokenParts = (unit, open) => {
  let text = spokenText(unit).replace(/\[\^[^\s\]]{1,99}\]/g, "");
  // Omit the text after unclosed Markdown syntax: this text may still change.
  if (open) [text] = text.split(/\$\$|\\\[|\*\*|`|\[|^\|/m);
  // Create the segmenter on first use: its slow constructor would delay the first paint.
  sentences ??= new Intl.Segmenter(document.documentElement.lang, { granularity: "sentence" });
  const parts = unit.matches(".code")
    ? text.split(/(?<=\n)/)
    : [...sentences.segment(text)].map(({ segment }) => segment);
  return parts.filter((part) => part.trim());
};

// The final HTML may differ from the streamed one. Compare sentences without punctuation to recognise them.
const withoutPunctuation = (part) => part.replace(/[\s.,:]+/g, "");
const announcedTurns = new Map();
const isRunning = (turn) => turn.querySelector(".turn__reply").hasAttribute("aria-busy");
const takeNewSentences = (turn) => {
  const state = announcedTurns.get(turn.id) ?? { unit: 0, part: 0, names: [], progress: "", runs: true };
  announcedTurns.set(turn.id, state);
  const runs = isRunning(turn);
  const count = (name, difference) => counts.set(name, (counts.get(name) ?? 0) + difference);
  const counts = new Map();
  if (!runs) {
    state.names.splice(0).flat().forEach((name) => count(name, 1));
    state.unit = state.part = 0;
  }
  const newSentences = [];
  const units = [...turn.querySelector(".turn__reply").querySelectorAll(BLOCK_SELECTOR)];
  const isStopped = !runs && turn.dataset.state !== "complete";
  while (state.unit < units.length) {
    const unit = units[state.unit];
    const isLast = unit === units.at(-1);
    const isOpen = runs && isLast;
    const parts = spokenParts(unit, isOpen);
    // Do not announce half a sentence, neither of a running reply nor of a stopped one.
    const isIncomplete = isOpen || (isStopped && isLast && !SENTENCE_END.test(unit.textContent));
    const end = isIncomplete ? parts.length - 1 : parts.length;
    const names = state.names[state.unit] ??= [];
    for (const part of parts.slice(state.part, end)) {
      const name = withoutPunctuation(part);
      if (counts.get(name)) count(name, -1);
      else newSentences.push(part);
      names.push(name);
    }
    state.part = isOpen ? Math.max(state.part, end) : 0;
    if (isOpen) break;
    state.unit += 1;
  }
  return { state, runs, text: newSentences.join("") };
};
const announceTurns = () => {
  // A reply whose beginning was announced is announced to its end, even if the next one has begun.
  for (const turn of document.querySelectorAll(".turn")) {
    const followed = announcedTurns.get(turn.id)?.runs;
    if (followed ?? turn === newestTurn()) announceTurn(turn);
  }
};
const announceTurn = (turn) => {
  const { state, runs, text } = takeNewSentences(turn);
  // After Stop, the person does not want to hear the rest.
  if (turn.dataset.state === "stopped") dropAnnouncements();
  const progress = turn.querySelector(".turn__progress")?.textContent ?? "";
  const kind = progress.replace(/[\d.,]+/g, "");
  if (runs && kind !== state.progress) announce(progress);
  if (document.documentElement.dataset.announce !== "off") announce(text, turn.querySelector(".turn__reply").lang);
  [state.progress, state.runs] = [kind, runs];
  const note = turn.querySelector(".note span");
  if (runs) return;
  announce(turn.querySelector(".turn__source")?.textContent);
  announce(note ? spokenText(note) : messages.complete);
  announce(document.querySelector("#composer-status:not(.countdown) .hint")?.textContent);
};
// Do not announce text that was on the page when it loaded, except the reply to a message that was just sent.
// Of a running reply, announce what is added from now on; never analyse an ended one.
for (const turn of document.querySelectorAll(".turn")) {
  if (turn === newestTurn() && sessionStore.get("sent")) continue;
  if (isRunning(turn)) takeNewSentences(turn);
  else announcedTurns.set(turn.id, { runs: false });
}
onContentChange(announceTurns, SPEAK_INTERVAL_MS);
