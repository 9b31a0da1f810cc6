// Menus: the browser opens and closes them. Arrow keys go through an open one.
document.addEventListener("keydown", (event) => {
  const menu = document.querySelector(":is(.menu, .more-menu):popover-open");
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!menu || !step || event.target.matches("input")) return;
  const items = [...menu.querySelectorAll("a, button")].filter((item) => item.checkVisibility());
  const index = items.indexOf(document.activeElement);
  event.preventDefault();
  items.at(index < 0 && step < 0 ? -1 : (index + step) % items.length)?.focus();
});
// Links and Print leave the page, so the menu does not close by itself.
document.addEventListener("click", ({ target }) => {
  const item = target.closest(".menu :is(a, [data-print])");
  item?.closest(".menu").hidePopover();
  if (item?.matches("[data-print]")) print();
});
// Close a popover that has lost the focus, so that it does not cover the focused element.
document.addEventListener("focusin", ({ target }) => {
  for (const popover of document.querySelectorAll(":popover-open")) {
    if (!popover.contains(target) && !target.matches("[popovertarget]")) popover.hidePopover();
  }
});
// An open menu is in view: below its button, or above it if there is no room.
const EDGE_PX = 8;
let opener;
const placeMenu = () => {
  const menu = document.querySelector(".menu:popover-open");
  if (!menu || !opener) return;
  const { top, bottom, left, right } = opener.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = menu;
  const { clientWidth, clientHeight, dir } = document.documentElement;
  const [lastX, lastY] = [clientWidth - width - EDGE_PX, clientHeight - height - EDGE_PX];
  // The menu of a row of the sidebar covers the page, not the sidebar.
  const x = (dir === "rtl") === Boolean(menu.closest(".sidebar")) ? right - width : left;
  const y = bottom <= lastY ? bottom : Math.min(top - height, lastY);
  menu.style.left = `${Math.max(EDGE_PX, Math.min(x, lastX))}px`;
  menu.style.top = `${Math.max(EDGE_PX, y)}px`;
};
for (const event of ["toggle", "scroll", "resize", "htmx:after:swap"]) addEventListener(event, placeMenu, true);

// The rows of the sidebar share a menu, which is loaded when it opens. A response for another row comes too late.
const rowMenu = document.getElementById("row-menu");
document.addEventListener("click", ({ target }) => {
  const button = target.closest("[popovertarget]");
  if (!button) return;
  opener = button;
  if (button.getAttribute("popovertarget") === rowMenu.id) rowMenu.replaceChildren();
  placeMenu();
}, true);
document.addEventListener("htmx:before:swap", (event) => {
  const { sourceElement } = event.detail.ctx;
  if (sourceElement?.getAttribute("hx-target") !== "#row-menu") return;
  if (sourceElement !== opener || !rowMenu.matches(":popover-open")) event.preventDefault();
});

// The title of a conversation becomes a field.
const TITLE_FORM = ".title-form";
document.addEventListener("click", (event) => {
  const { target } = event;
  if (target.id === "conversation-title" && getSelection().isCollapsed) document.querySelector("main .menu a").click();
  // It is a field already.
  const isRename = target.closest(".menu a")?.pathname.endsWith("/title");
  if (isRename && document.querySelector(TITLE_FORM)) leaveTitle(document.querySelector(TITLE_FORM));
}, true);
const leaveTitle = (form) => {
  const { previousElementSibling: title } = form;
  form.remove();
  (title.matches("a") ? title : document.querySelector("main .menu__button")).focus();
};
document.addEventListener("focusin", ({ target }) => { if (target.matches(`${TITLE_FORM} [name=title]`)) target.select(); });
document.addEventListener("click", (event) => {
  const cancel = event.target.closest(`${TITLE_FORM} a`);
  if (!cancel) return;
  event.preventDefault();
  leaveTitle(cancel.closest(TITLE_FORM));
});
document.addEventListener("keydown", (event) => {
  const form = event.key === "Escape" && event.target.closest(TITLE_FORM);
  if (!form) return;
  event.preventDefault();
  leaveTitle(form);
});
