// What happens on the page, for those who hear it: replies by whole sentences, not by words as they come.
const SPEAK_MS = 1000;
const FORGET_MS = 6000;
const LONGEST = 600; // a longer saying cannot be left half-way
let unsaid = [];
let speaking;
const speak = () => {
  let words = unsaid.shift();
  while (unsaid.length && words.length + unsaid[0].length < LONGEST) words += ` ${unsaid.shift()}`;
  const announcer = document.getElementById("announcer");
  announcer.textContent = words ?? "";
  // What was said is not to be found a second time by whoever looks around.
  speaking = words ? setTimeout(speak, unsaid.length ? SPEAK_MS : FORGET_MS) : undefined;
};
const announce = (words) => {
  const said = words.replace(/\s+/g, " ").trim();
  if (!said) return;
  unsaid.push(said);
  if (unsaid.length > 1) return;
  clearTimeout(speaking);
  speaking = setTimeout(speak, SOON_MS);
};

{
  const UNITS = ":scope > :not(ul, ol, .table), :scope > :is(ul, ol) > li, :scope > .table tr";
  const ENDS = new Set(["LI", "P", "TR", "PRE", "H3", "H4", "H5", "H6", "BLOCKQUOTE"]);
  // As it would be read where it stands.
  const spoken = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return node.data;
    if (node.matches("sup, button, [role=doc-backlink]")) return "";
    const words = [...node.childNodes].map(spoken).join("");
    if (node.matches("td:not(:last-child), th:not(:last-child)")) return `${words}, `;
    return ENDS.has(node.tagName) ? `${words}\n` : words;
  };
  let sentences;
  const partsOf = (unit) => {
    const words = `${spoken(unit).trimEnd()}\n`;
    if (unit.matches(".code")) return words.split(/(?<=\n)/);
    // To make one takes longer than all else that a page does before it is seen.
    sentences ??= new Intl.Segmenter(document.documentElement.lang, { granularity: "sentence" });
    return [...sentences.segment(words)].map(({ segment }) => segment);
  };

  // Counted by parts of the text, not by characters: what is open is rendered anew as it grows.
  const heard = new Map();
  const hear = (turn) => {
    const reply = turn.querySelector(".turn__reply");
    const state = heard.get(turn.id) ?? { unit: 0, part: 0, progress: "", runs: true };
    heard.set(turn.id, state);
    const runs = reply.hasAttribute("aria-busy");
    const fresh = [];
    const units = [...reply.querySelectorAll(UNITS)];
    while (state.unit < units.length) {
      const parts = partsOf(units[state.unit]);
      const open = runs && state.unit === units.length - 1;
      const end = open ? parts.length - 1 : parts.length;
      fresh.push(...parts.slice(state.part, end));
      state.part = open ? Math.max(state.part, end) : 0;
      if (open) break;
      state.unit += 1;
    }
    return { state, runs, words: fresh.join("") };
  };
  const listen = () => {
    const turn = newestTurn();
    if (!turn || (heard.get(turn.id)?.runs === false)) return;
    const { state, runs, words } = hear(turn);
    if (document.documentElement.dataset.announce !== "off") announce(words);
    const progress = turn.querySelector(".turn__progress")?.textContent ?? "";
    const kind = progress.replace(/[\d.,]+/g, "");
    if (runs && kind !== state.progress) announce(progress);
    [state.progress, state.runs] = [kind, runs];
    if (!runs) announce(turn.querySelector(".note span")?.textContent ?? told.complete);
  };
  // What was there when the page came is read like the rest of it.
  for (const turn of document.querySelectorAll(".turn")) hear(turn).state.runs = Boolean(turn.querySelector("[aria-busy]"));
  if (newestTurn()) heard.get(newestTurn().id).progress = newestTurn().querySelector(".turn__progress")?.textContent.replace(/[\d.,]+/g, "") ?? "";
  whenNew(listen, SPEAK_MS);

  // A wait is over when its countdown, which needs no script, lets the button appear.
  document.addEventListener("animationend", ({ animationName, target }) => {
    if (animationName === "there" && target.checkVisibility()) announce(told.over);
  });
}
