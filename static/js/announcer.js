// What happens on the page, for those who hear it: replies by whole sentences, not by words as they come.
const SPEAK_MS = 1000;
const FORGET_MS = 6000;
const LONGEST = 600; // a longer saying cannot be left half-way
const PARTS = /\S.{0,599}(?<=[\p{Term}…])(?!\w)|\S.{0,599}(?!\S)|\S{600}/gu;
const announcer = document.getElementById("announcer");
const ENDED = /[\p{Term}…]\s*$/u;
let unsaid = [];
let speaking;
const speak = () => {
  let words = unsaid.shift() ?? "";
  while (unsaid.length && words.length + unsaid[0].length < LONGEST) {
    words = `${ENDED.test(words) ? words : `${words}.`} ${unsaid.shift()}`;
  }
  announcer.textContent = words;
  // What was said is not to be found a second time by whoever looks around.
  speaking = words ? setTimeout(speak, unsaid.length ? SPEAK_MS : FORGET_MS) : undefined;
};
const announce = (words = "") => {
  const said = words.replace(/\s+/g, " ").trim();
  if (!said || unsaid.at(-1) === said) return;
  const waits = unsaid.length;
  unsaid.push(...(said.length > LONGEST ? said.match(PARTS) : [said]));
  if (waits) return;
  clearTimeout(speaking);
  speaking = setTimeout(speak, SOON_MS);
};

{
  const UNITS = ":scope > :not(ul, ol, .table), :scope > :is(ul, ol) > li, :scope > .table tr";
  const ENDS = new Set(["LI", "P", "PRE", "TR", "H3", "H4", "H5", "H6", "BLOCKQUOTE"]);
  const SILENT = "sup, button, [role=doc-backlink], .note__reference";
  // As it would be read where it stands.
  const spoken = (node) => {
    if (!node.tagName) return node.data ?? "";
    if (node.matches(SILENT)) return "";
    if (node.localName === "math") return node.getAttribute("alttext") ?? told.formula;
    let words = [...node.childNodes].map(spoken).join("");
    if (node.matches("li > :is(ul, ol)")) words = `: ${words}`;
    if (node.matches("li:has(> :is(ul, ol))")) words = words.replace(/\s*: /, ": ").replace(/([\p{Term}…]): /gu, "$1 ");
    if (node.matches("ol > li")) words = `${node.parentElement.start + [].indexOf.call(node.parentElement.children, node)}: ${words.trimStart()}`;
    if (node.matches(".noted")) words = words.replace("\n", ": ");
    if (node.matches("td:not(:last-child), th:not(:last-child)")) return `${words}, `;
    if (!ENDS.has(node.tagName) || !words.trim()) return words;
    const name = node.matches("pre") ? told.code + ": " : node.matches("thead tr") ? told.table + ": " : "";
    words = words.trimEnd().replace(/[ ,]{1,9}$/, "");
    return name + words + (ENDED.test(words) ? "\n" : ".\n");
  };
  let sentences;
  // Counted by parts that say something, not by characters: what is open is rendered anew as it grows.
  const partsOf = (unit, open) => {
    let words = spoken(unit).replace(/\[\^[^\s\]]{1,99}\]/g, "");
    // A mark that is not closed may become anything yet.
    if (open) [words] = words.split(/\$\$|\\\[|\*\*|`|\[|^\|/m);
    // To make one takes longer than all else that a page does before it is seen.
    sentences ??= new Intl.Segmenter(document.documentElement.lang, { granularity: "sentence" });
    const parts = unit.matches(".code") ? words.split(/(?<=\n)/) : [...sentences.segment(words)].map(({ segment }) => segment);
    return parts.filter((part) => part.trim());
  };

  // An end may differ from what came before it. A part is known again whatever stops are put into it.
  const withoutStops = (part) => part.replace(/[\s.,:]+/g, "");
  const heard = new Map();
  const hear = (turn, seen) => {
    const reply = turn.querySelector(".turn__reply");
    const state = heard.get(turn.id) ?? { unit: 0, part: 0, said: [], progress: "", runs: true };
    heard.set(turn.id, state);
    const runs = reply.hasAttribute("aria-busy");
    const count = (name, by) => known.set(name, (known.get(name) ?? 0) + by);
    const known = new Map();
    if (!runs) {
      const gone = state.said.findIndex(({ unit }) => !unit.isConnected);
      if (gone >= 0) state.unit = gone;
      for (const { names } of state.said.splice(state.unit)) names.forEach((name) => count(name, 1));
      state.part = 0;
    }
    const fresh = [];
    const units = [...reply.querySelectorAll(UNITS)];
    const stopped = !runs && turn.dataset.state !== "complete";
    while (state.unit < units.length) {
      const unit = units[state.unit];
      const last = unit === units.at(-1);
      const open = runs && last;
      const parts = partsOf(unit, open);
      // Half a sentence is none, whether it goes on or not.
      const half = open || (stopped && last && !ENDED.test(unit.textContent));
      const end = half ? parts.length - 1 : parts.length;
      const { names } = state.said[state.unit] = { names: [], ...state.said[state.unit], unit };
      for (const part of parts.slice(state.part, end)) {
        const name = withoutStops(part);
        if (known.get(name)) count(name, -1);
        else fresh.push(part);
        names.push(name);
      }
      state.part = open ? Math.max(state.part, end) : 0;
      if (open) break;
      state.unit += 1;
    }
    if (seen) state.runs = runs;
    return { state, runs, words: fresh.join("") };
  };
  const listen = () => {
    // One that was followed is heard to its end, also when the next one has begun.
    for (const turn of document.querySelectorAll(".turn")) {
      const followed = heard.get(turn.id)?.runs;
      if (followed ?? turn === newestTurn()) listenTo(turn);
    }
  };
  const listenTo = (turn) => {
    const { state, runs, words } = hear(turn);
    // Whoever has stopped it does not want to hear the rest.
    if (turn.dataset.state === "stopped") unsaid = [];
    const progress = turn.querySelector(".turn__progress")?.textContent ?? "";
    const kind = progress.replace(/[\d.,]+/g, "");
    if (runs && kind !== state.progress) announce(progress);
    if (document.documentElement.dataset.announce !== "off") announce(words);
    [state.progress, state.runs] = [kind, runs];
    const note = turn.querySelector(".note span");
    if (!runs) announce(note ? spoken(note) : told.complete);
  };
  // What was there when the page came is read like the rest of it; but not what was sent just now.
  for (const turn of document.querySelectorAll(".turn")) {
    if (turn !== newestTurn() || !forNow.get("sent")) hear(turn, true);
  }
  whenNew(listen, SPEAK_MS);

  // A wait is over when its countdown, which needs no script, lets the button appear.
  document.addEventListener("animationend", ({ animationName, target }) => {
    if (animationName === "there" && target.checkVisibility()) announce(told.over);
  });
}
