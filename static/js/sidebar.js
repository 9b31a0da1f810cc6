// The sidebar: its list keeps its place from page to page, and shows the row of the open conversation; in wide windows,
// it can be hidden. This is a classic script at the end of the page: unlike a module, it usually runs before the first
// paint.
{
  const sidebar = document.getElementById("sidebar");
  const hideButton = document.getElementById("hide-sidebar");
  const menuButton = document.querySelector(".menu-button");
  const wide = matchMedia("(min-width: 56rem)");
  const { dataset } = document.documentElement;
  try { dataset.sidebar = localStorage.getItem("sidebar") ?? ""; } catch {}
  const toggle = () => {
    dataset.sidebar = dataset.sidebar ? "" : "hidden";
    try { localStorage.setItem("sidebar", dataset.sidebar); } catch {}
  };
  hideButton.addEventListener("click", () => {
    toggle();
    menuButton.focus();
  });
  menuButton.addEventListener("click", (event) => {
    if (!wide.matches) return;
    event.preventDefault(); // it is no drawer
    toggle();
    hideButton.focus();
  });
  addEventListener("sidebar-key", () => {
    const hadFocus = sidebar.contains(document.activeElement);
    if (wide.matches) toggle();
    else sidebar.togglePopover();
    if (hadFocus) menuButton.focus();
  });

  const list = sidebar.querySelector(".sidebar__recent");
  let place = 0;
  try { place = sessionStorage.getItem("sidebar") ?? 0; } catch {}
  const restore = () => {
    sidebar.scrollTop = list.scrollTop = place;  // in a window of small height, the whole sidebar scrolls
    list.querySelector("#recent [aria-current]")?.scrollIntoView({ block: "nearest" });
  };
  requestAnimationFrame(restore);  // with the layout of the next paint, not with one of its own
  const keep = () => {
    if (sidebar.checkVisibility()) place = list.scrollTop + sidebar.scrollTop;
  };
  // A closed drawer has no place.
  sidebar.addEventListener("beforetoggle", ({ newState }) => {
    if (newState === "open") requestAnimationFrame(restore);
    else keep();
  });
  addEventListener("pagehide", () => {
    keep();
    try { sessionStorage.setItem("sidebar", place); } catch {}
  });
}
