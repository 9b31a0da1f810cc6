// Announcements for screen readers, which wait in a queue.
const COLLECT_MS = 100; // what is announced meanwhile is spoken at once
const SPEAK_INTERVAL_MS = 1000;
const CLEAR_AFTER_MS = 6000;
const MAX_ANNOUNCEMENT_CHARS = 600; // screen reader users cannot skip within one announcement
const ANNOUNCEMENT_PARTS = /\S.{0,599}(?<=[\p{Term}…])(?!\w)|\S.{0,599}(?!\S)|\S{600}/gu;
export const SENTENCE_END = /[\p{Term}…]\s*$/u;
const announcer = document.getElementById("announcer");
let queue = [];
let speakTimer;
const speakNext = () => {
  let [text, lang] = queue.shift() ?? ["", ""];
  while (queue[0]?.[1] === lang && text.length + queue[0][0].length < MAX_ANNOUNCEMENT_CHARS) {
    text = `${text}${SENTENCE_END.test(text) ? "" : "."} ${queue.shift()[0]}`;
  }
  announcer.lang = lang;
  announcer.textContent = text;
  // Clear the text afterwards, so that people who browse the page do not find it again.
  speakTimer = text ? setTimeout(speakNext, queue.length ? SPEAK_INTERVAL_MS : CLEAR_AFTER_MS) : undefined;
};
export const announce = (text = "", lang = "") => {
  const sentence = text.replace(/\s+/g, " ").trim();
  if (!sentence || queue.at(-1)?.[0] === sentence) return;
  const waits = queue.length;
  const parts = sentence.length > MAX_ANNOUNCEMENT_CHARS ? sentence.match(ANNOUNCEMENT_PARTS) : [sentence];
  queue.push(...parts.map((part) => [part, lang || document.documentElement.lang]));
  if (waits) return;
  clearTimeout(speakTimer);
  speakTimer = setTimeout(speakNext, COLLECT_MS);
};
export const dropAnnouncements = () => { queue = []; };
