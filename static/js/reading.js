// Where a conversation is read: at its end while the reader is there, and where they are when not.
{
  const NEAR_END = 120;
  const page = document.scrollingElement;
  const log = document.getElementById("log");
  const newest = document.getElementById("newest");
  const atEnd = () => page.scrollHeight - page.scrollTop - page.clientHeight < NEAR_END;
  const toEnd = () => {
    following = true;
    if (newest) newest.hidden = true;
    page.scrollTop = page.scrollHeight;
  };
  let following = true;
  let length = 0;
  let breadth = 0;
  addEventListener("scroll", () => {
    following = atEnd();
    if (following && newest) newest.hidden = true;
  }, { passive: true });
  if (log) {
    new ResizeObserver(([{ contentRect: { width, height } }]) => {
      const grows = width === breadth && height > length;
      if (following) toEnd();
      else if (newest && grows && log.querySelector("[aria-busy]")) newest.hidden = false;
      [breadth, length] = [width, height];
    }).observe(log);
    newest?.addEventListener("click", toEnd);
    // Who renames or pins what they read goes on where they were.
    const done = document.querySelector(".composer .note[autofocus]");
    const place = done && forNow.get("place");
    afterPaint(() => forNow.set("place", ""));
    if (done) {
      goOn(); // before the browser goes to the note: what is typed there would be shortcuts
      announce(done.ariaLabel);
    }
    if (place) {
      page.scrollTop = place;
      following = atEnd();
    } else if (location.hash === "#message" || !(location.hash || location.search)) toEnd();
    if (location.hash === "#message") goOn();
    document.addEventListener("submit", ({ target }) => {
      if (target.matches(".talk .menu form")) forNow.set("place", String(page.scrollTop));
    });
  }

  // Another window, or another device, may have gone on.
  let asked;
  const ask = () => {
    asked = newestTurn();
    const form = document.querySelector(".composer form");
    if (!asked || !form || document.hidden) return;
    htmx.ajax("GET", `${form.action}?seen=${asked.dataset.turn}`, { source: log, target: log, swap: "beforeend" });
  };
  const others = new BroadcastChannel("turns");
  others.addEventListener("message", ({ data }) => { if (data === location.pathname) ask(); });
  document.addEventListener("visibilitychange", ask);
  // What has come meanwhile by another way is not shown twice.
  document.addEventListener("htmx:before:swap", (event) => {
    if (event.detail.ctx.sourceElement === log && newestTurn().id !== asked.id) event.preventDefault();
  });

  // What one has just asked is what one wants to see; and one goes on typing.
  let last = newestTurn()?.id;
  document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
    const turn = newestTurn();
    if (!turn || turn.id === last) return;
    last = turn.id;
    if (!ctx.sourceElement?.closest(".composer, #again, .note")) return;
    others.postMessage(location.pathname);
    toEnd();
    goOn();
  });

  // Earlier turns come above what is being read: that stays where it is, and gets the focus.
  let swapping;
  let below = 0;
  let first;
  document.addEventListener("htmx:before:swap", ({ detail: { ctx } }) => {
    if (ctx.sourceElement.id !== "earlier-turns") return;
    swapping = ctx;
    below = page.scrollHeight - page.scrollTop;
    first = document.activeElement === ctx.sourceElement && document.querySelector(".turn");
  });
  document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
    if (ctx !== swapping) return;
    swapping = undefined;
    if (first) readOn(first);
    page.scrollTop = page.scrollHeight - below;
    announce(told.earlier);
  });

  // What is wider than the page scrolls, by the keyboard too; what is not is no stop on the way.
  const SCROLLS = ".turn__reply :is(.table, .code pre, math[display=block])";
  const names = { SECTION: told.table, PRE: told.code, math: told.formula };
  const look = () => {
    for (const part of document.querySelectorAll(SCROLLS)) {
      const scrolls = part.scrollWidth > part.clientWidth;
      if (scrolls) part.tabIndex = 0;
      else part.removeAttribute("tabindex");
      if (part.tagName !== "math") part.role = scrolls ? "group" : null;
      const { language = "" } = part.parentElement.dataset;
      part.ariaLabel = scrolls ? `${names[part.tagName]} ${language}`.trim() : null;
    }
  };
  // A note leads back by an arrow, which is no name.
  const lead = () => {
    for (const back of document.querySelectorAll("[role=doc-backlink]")) back.ariaLabel = `${told.back} ${back.hash.split("-").at(-1)}`;
  };
  whenNew(look, 1000);
  whenNew(lead);
  addEventListener("resize", look);
}
