// New turns: shows the one that was sent, and announces the others.
import { announce } from "./announcements.js";
import { focusComposer } from "./focus.js";
import { fetchMissedTurns } from "./missed_turns.js";
import { scrollToEnd } from "./reading_position.js";
import { afterPaint, sessionStore } from "./storage.js";
import { channel, updateRecent } from "./tabs.js";
import { newestTurn } from "./turns.js";

// The conversation becomes the first in the sidebar, and its group becomes "Today".
let isFirstInSidebar = false;
const updateSidebar = () => {
  const row = document.querySelector("#recent [aria-current]")?.closest("li");
  if (!isFirstInSidebar || row !== document.querySelector("#recent li")) updateRecent();
  isFirstInSidebar = true;
};

// The request for the list tells the portal that the reply has been seen. After it, other tabs ask again.
document.addEventListener("reply-ended", async () => {
  await updateRecent();
  if (!document.hidden) channel.postMessage(location.pathname);
});

// "Versions of message 1: 2 of 3".
const announceVersion = (turn) => {
  const versions = turn?.querySelector(".versions");
  const number = versions?.querySelector(":scope > span:not([aria-hidden])");
  if (versions) announce(`${versions.ariaLabel}: ${number.textContent}`);
};
// An arrow leads to a page with another version: go on at the same arrow, or else the other one.
document.addEventListener("click", ({ target, detail }) => {
  const arrow = target.closest?.(".versions a");
  if (arrow) sessionStore.set("arrow", `${arrow.matches(":first-child") ? "first" : "last"} ${detail ? "" : "key"}`);
});
afterPaint(() => { // before, the browser moves the focus to the place that the address names
  const [arrow, isByKey] = sessionStore.get("arrow").split(" ");
  sessionStore.set("arrow", "");
  const turn = arrow && document.getElementById(location.hash.slice(1));
  if (!turn) return;
  const links = [...turn.querySelectorAll(".versions a")];
  (links.find((link) => link.matches(`:${arrow}-child`)) ?? links[0])
    ?.focus({ preventScroll: true, focusVisible: Boolean(isByKey) });
  announceVersion(turn);
});
// After sending, show the new turn and keep the focus in the composer.
let last = newestTurn()?.id;
document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
  if (ctx.response.status === 409) fetchMissedTurns(); // another window waits for a reply
  const turn = newestTurn();
  if (!turn || turn.id === last) return;
  last = turn.id;
  announceVersion(turn);
  // A GET request fetches turns from other windows: only announce the turn.
  if (ctx.request.method === "GET") return announce(turn.querySelector(".turn__label").textContent);
  channel.postMessage(location.pathname);
  updateSidebar();
  scrollToEnd();
  focusComposer();
});
