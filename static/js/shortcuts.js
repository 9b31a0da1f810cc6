// Keyboard shortcuts of one or two keys; people can switch them off. composer.js runs a shortcut
// unless its key is typed into a text field or the message box.
import { TEXT_FIELDS, focusAndShowTurn } from "./focus.js";
import { RUNNING_TURN } from "./turns.js";

const SHORTCUTS = {
  "?": ["#shortcuts-link"],
  "/": ["[type=search]", "#message", "#newest-turns-link"],
  m: ["#message", "#newest-turns-link", "[type=search]"],
  n: [".conversation__new", "#message"],
  s: [`main:has(${RUNNING_TURN}) .composer__stop`],
  gt: ["#to-twins"],
  gc: ["#to-conversations"],
};
const KEY_SEQUENCE_MS = 1500;
// The keys j and k go to the next and the previous turn: from the focused turn or the search hit,
// or else from the visible part of the page.
const TURN_STEPS = { j: 1, k: -1 };
const step = (by) => {
  const turns = [...document.querySelectorAll("#earlier-turns, .turn, #later-turns")];
  const { activeElement, body } = document;
  const from = activeElement === body ? document.querySelector("mark:target") : activeElement;
  const at = turns.findIndex((turn) => turn.contains(from));
  const top = (turn) => turn.getBoundingClientRect().top;
  const next = at >= 0 ? turns[at + by] : by < 0 ? turns.findLast((turn) => top(turn) < innerHeight) : turns.find((turn) => top(turn) > 0);
  return next ?? turns[at];
};
const find = (places = []) => places.map((place) => document.querySelector(place)).find(Boolean);
// On a keyboard layout without Latin letters, use the position of the key.
const letter = ({ key, code }) => {
  if (key === "؟") return "?";
  return /^[!-~]$/.test(key) || !code?.startsWith("Key") ? key : code.slice(3).toLowerCase();
};
let before = "";
let began = 0;
export const runShortcut = (event) => {
  if (document.documentElement.dataset.shortcuts === "off") return;
  const key = letter(event);
  if (event.timeStamp - began > KEY_SEQUENCE_MS) before = "";
  const way = key in TURN_STEPS ? step(TURN_STEPS[key]) : find(SHORTCUTS[before + key] ?? SHORTCUTS[key]);
  [before, began] = [key === "g" ? key : "", event.timeStamp];
  if (!way) {
    // Any other key means that the person starts to type: focus the message box.
    if (/^[^gjks\s]$/.test(key)) find(["#message"])?.focus();
    return;
  }
  event.preventDefault();
  if (way.matches(".turn")) focusAndShowTurn(way);
  else if (key in TURN_STEPS || way.matches(TEXT_FIELDS)) way.focus();
  else way.click();
};

// The link leads to the help page; with scripts, a dialog opens instead.
const link = document.getElementById("shortcuts-link");
link?.addEventListener("click", async (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const fromMenu = link.checkVisibility();
  try {
    const { openShortcuts } = await import("./shortcuts_dialog.js");
    await openShortcuts(link.href, fromMenu);
  } catch {
    location.assign(link.href);
  }
});
