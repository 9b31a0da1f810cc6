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
// The menu of a row is loaded when it opens.
const rowMenu = document.getElementById("row-menu");
rowMenu?.addEventListener("toggle", ({ newState }) => { if (newState === "closed") rowMenu.replaceChildren(); });

// The title of a conversation becomes a field.
document.addEventListener("click", ({ target }) => {
  if (target.id === "conversation-title" && getSelection().isCollapsed) document.querySelector("main .menu a").click();
});
const TITLE_FORM = ".title-form";
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
