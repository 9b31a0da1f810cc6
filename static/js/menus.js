// A menu that is open closes by Escape, by a press beside it, and when something is saved by it.
{
  const open = () => document.querySelector(".menu[open]");
  document.addEventListener("keydown", (event) => {
    const menu = event.key === "Escape" && open();
    if (!menu) return;
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
  // Who presses Rename before there is another title is about to write one: here, not into the box.
  document.addEventListener("click", (event) => {
    const title = event.target.matches(".menu__title button") && event.target.previousElementSibling;
    if (!title || title.value !== title.defaultValue) return;
    event.preventDefault();
    title.focus();
    title.select();
  });

  // And when the focus goes on: what has it must not be covered.
  document.addEventListener("focusin", ({ target }) => {
    const menu = open();
    if (menu && !menu.contains(target)) menu.open = false;
    const more = document.querySelector("#more:popover-open");
    if (more && !more.contains(target) && !target.matches("[popovertarget]")) more.hidePopover();
  });
}
