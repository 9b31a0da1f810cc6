// Menus: how they close, and where they open.
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
// An open menu is in view: below its button, or above it if there is no room.
const EDGE_PX = 8;
const placeMenu = () => {
  const form = open()?.querySelector("form");
  if (!form) return;
  const { top, bottom, left, right } = open().querySelector("summary").getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = form;
  const { clientWidth, clientHeight, dir } = document.documentElement;
  const [lastX, lastY] = [clientWidth - width - EDGE_PX, clientHeight - height - EDGE_PX];
  // The menu of a row of the sidebar covers the page, not the sidebar.
  const x = (dir === "rtl") === Boolean(form.closest(".sidebar")) ? right - width : left;
  const y = bottom <= lastY ? bottom : Math.min(top - height, lastY);
  form.style.left = `${Math.max(EDGE_PX, Math.min(x, lastX))}px`;
  form.style.top = `${Math.max(EDGE_PX, y)}px`;
};
for (const event of ["toggle", "scroll", "resize"]) addEventListener(event, placeMenu, true);
// Close a menu that has lost the focus, so that it does not cover the focused element.
document.addEventListener("focusin", ({ target }) => {
  const menu = document.querySelector(".menu[open]");
  if (menu && !menu.contains(target)) menu.open = false;
  for (const popover of document.querySelectorAll(":popover-open")) {
    if (!popover.contains(target) && !target.matches("[popovertarget]")) popover.hidePopover();
  }
});
// Pressing Rename with an unchanged title focuses the title field instead of submitting it.
document.addEventListener("click", (event) => {
  const title = event.target.matches(".menu__title button") && event.target.form.elements.title;
  if (!title || title.value !== title.defaultValue) return;
  event.preventDefault();
  title.focus();
  title.select();
});
