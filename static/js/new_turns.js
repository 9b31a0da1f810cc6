// New turns: shows the one that was sent, and announces the others.
import { announce } from "./announcements.js";
import { focusComposer } from "./focus.js";
import { fetchMissedTurns } from "./missed_turns.js";
import { scrollToEnd } from "./reading_position.js";
import { channel, updateRecent } from "./tabs.js";
import { newestTurn } from "./turns.js";

// The conversation becomes the first in the sidebar, and its group becomes "Today".
let isFirstInSidebar = false;
const updateSidebar = () => {
  const row = document.querySelector("#recent [aria-current]")?.closest("li");
  if (!isFirstInSidebar || row !== document.querySelector("#recent li")) updateRecent();
  isFirstInSidebar = true;
};

// After sending, show the new turn and keep the focus in the composer.
let last = newestTurn()?.id;
document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
  if (ctx.response.status === 409) fetchMissedTurns(); // another window waits for a reply
  const turn = newestTurn();
  if (!turn || turn.id === last) return;
  last = turn.id;
  const versions = turn.querySelector(".versions");
  if (versions) announce(`${versions.ariaLabel}: ${versions.querySelector(":scope > span:not([aria-hidden])").textContent}`);
  // A GET request fetches turns from other windows: only announce the turn.
  if (ctx.request.method === "GET") return announce(turn.querySelector(".turn__label").textContent);
  channel.postMessage(location.pathname);
  updateSidebar();
  scrollToEnd();
  focusComposer();
});
