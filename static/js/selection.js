// The boxes of the list of conversations: Shift selects a range, and a button selects all.
let lastBox;
document.addEventListener("click", ({ target, shiftKey }) => {
  const boxes = [...document.querySelectorAll(".rows__start input")];
  const places = [boxes.indexOf(target), shiftKey ? boxes.indexOf(lastBox) : -1].sort((a, b) => a - b);
  if (target.matches("[data-select-all]")) for (const box of boxes) box.checked = true;
  if (places[0] >= 0) for (const box of boxes.slice(places[0], places[1] + 1)) box.checked = target.checked;
  if (boxes.includes(target)) lastBox = target;
});
document.addEventListener("reset", ({ target }) => {
  if (target.id === "selection") (lastBox ?? document.querySelector(".rows__start input")).focus();
});
