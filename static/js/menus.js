{
  // A menu that is open closes by Escape, and by a press beside it.
  const open = () => document.querySelector(".menu[open]");
  document.addEventListener("keydown", (event) => {
    const menu = event.key === "Escape" && open();
    if (!menu) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });
  document.addEventListener("click", ({ target }) => {
    const menu = open();
    if (menu && !menu.contains(target)) menu.open = false;
  });

  // And when the focus goes on: what has it must not be covered.
  document.addEventListener("focusin", ({ target }) => {
    const menu = open();
    if (menu && !menu.contains(target)) menu.open = false;
    const more = document.querySelector("#more:popover-open");
    if (more && !more.contains(target) && !target.matches("[popovertarget]")) more.hidePopover();
  });

  // Earlier turns come above what is being read: that stays where it is, and so does the focus.
  const page = document.scrollingElement;
  let swapping;
  let below = 0;
  let focused = false;
  document.addEventListener("htmx:before:swap", ({ detail: { ctx } }) => {
    if (ctx.sourceElement.id !== "earlier-turns") return;
    swapping = ctx;
    below = page.scrollHeight - page.scrollTop;
    focused = document.activeElement === ctx.sourceElement;
  });
  document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
    if (ctx !== swapping) return;
    swapping = undefined;
    if (focused && document.activeElement === document.body) {
      const first = document.querySelector(".turn");
      first.tabIndex = -1;
      first.focus({ preventScroll: true });
    }
    page.scrollTop = page.scrollHeight - below;
  });
}
