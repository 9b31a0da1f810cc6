// Keyboard shortcuts of one or two keys; people can switch them off. They do not run for
// keys that are typed into a text field or the message box.
import { focusAndShowTurn, TEXT_FIELDS } from "./focus.js";
import { RUNNING_TURN } from "./turns.js";

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
export const letter = ({ key, code }) => {
  if (key === "؟") return "?";
  return /^[!-~]$/.test(key) || !code?.startsWith("Key") ? key : code.slice(3).toLowerCase();
};
let before = "";
let began = 0;
export const runShortcut = (event) => {
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
