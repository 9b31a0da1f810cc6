// What scripts tell people: announcements for screen readers, and notices.
import { THROTTLE_MS } from "./turns.js";

const SPEAK_INTERVAL_MS = 1000;
const CLEAR_AFTER_MS = 6000;
const MAX_ANNOUNCEMENT_CHARS = 600; // screen reader users cannot skip within one announcement
const ANNOUNCEMENT_PARTS = /\S.{0,599}(?<=[\p{Term}…])(?!\w)|\S.{0,599}(?!\S)|\S{600}/gu;
export const SENTENCE_END = /[\p{Term}…]\s*$/u;
const announcer = document.getElementById("announcer");
let queue = [];
let speakTimer;
const speakNext = () => {
  let words = queue.shift() ?? "";
  while (queue.length && words.length + queue[0].length < MAX_ANNOUNCEMENT_CHARS) {
    words = `${words}${SENTENCE_END.test(words) ? "" : "."} ${queue.shift()}`;
  }
  announcer.textContent = words;
  // Clear the text afterwards, so that people who browse the page do not find it again.
  speakTimer = words ? setTimeout(speakNext, queue.length ? SPEAK_INTERVAL_MS : CLEAR_AFTER_MS) : undefined;
};
export const announce = (words = "") => {
  const said = words.replace(/\s+/g, " ").trim();
  if (!said || queue.at(-1) === said) return;
  const waits = queue.length;
  queue.push(...(said.length > MAX_ANNOUNCEMENT_CHARS ? said.match(ANNOUNCEMENT_PARTS) : [said]));
  if (waits) return;
  clearTimeout(speakTimer);
  speakTimer = setTimeout(speakNext, THROTTLE_MS);
};
export const dropAnnouncements = () => { queue = []; };

const notices = document.getElementById("notices");
export const showNotice = (sentence) => {
  notices.innerHTML = "<p class=note><span></span></p>";
  notices.querySelector("span").textContent = sentence;
};
export const removeNotices = () => notices.replaceChildren();
export const noticeText = () => notices.textContent;
