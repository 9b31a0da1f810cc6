// Close an open menu on Escape, on a click outside, and on a click on a link or Print in the menu.
const open = () => document.querySelector(".menu[open]");
document.addEventListener("keydown", (event) => {
  const menu = event.key === "Escape" && open();
  if (!menu) return;
  event.preventDefault(); // Escape only closes the menu
  menu.open = false;
  menu.querySelector("summary").focus();
});
document.addEventListener("click", ({ target }) => {
  const menu = open();
  if (!menu || (menu.contains(target) && !target.closest("a, [data-print]"))) return;
  menu.open = false;
  if (menu.contains(target)) menu.querySelector("summary").focus();
  if (target.matches("[data-print]")) print();
});
// Pressing Rename with an unchanged title focuses the title field instead of submitting it.
document.addEventListener("click", (event) => {
  const title = event.target.matches(".menu__title button") && event.target.previousElementSibling;
  if (!title || title.value !== title.defaultValue) return;
  event.preventDefault();
  title.focus();
  title.select();
});
