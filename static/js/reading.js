// Where a conversation is read: at its end while the reader is there, and where they are when not.
{
  const NEAR_END = 120;
  const page = document.scrollingElement;
  const log = document.getElementById("log");
  const toNewest = document.getElementById("newest");
  const isWithin = (gap) => page.scrollHeight - page.scrollTop - page.clientHeight < gap;
  // Who is away from the end is shown the way there, and whether there is something new.
  const offer = (news, away = !following) => {
    if (!toNewest) return;
    const label = toNewest.lastElementChild;
    label.hidden = !(away && (news || !label.hidden));
    // The lower the window, the more it would cover.
    toNewest.hidden = !away || isWithin(label.hidden ? 9e5 / innerHeight : 2);
    if (toNewest.hidden) return;
    // Above the box, however high that is.
    toNewest.parentElement.style.bottom = `${document.querySelector("#composer").offsetHeight}px`;
  };
  const toEnd = () => {
    following = true;
    offer();
    page.scrollTop = page.scrollHeight;
    top = page.scrollTop;
  };
  let following = false;
  let top = 0;
  let height = 0;
  // Where the page itself has shrunk, the browser moves what is read; where it has grown, only readers move up.
  const look = () => {
    const by = page.scrollTop - top;
    const grown = page.scrollHeight - height;
    if (!grown || (grown > 0 && by < 0)) following = isWithin(by > 0 ? NEAR_END : 2) || (following && by >= 0);
    [top, height] = [page.scrollTop, page.scrollHeight];
  };
  // Who reads by the keyboard has the focus there.
  const isFollowing = () => {
    look();
    return toNewest && following && !document.querySelector(".turn:focus, .turn:not(:last-child):focus-within, .turn__reply :focus-visible");
  };
  addEventListener("scroll", () => {
    look();
    offer();
  });
  if (log) {
    new ResizeObserver(() => {
      if (isFollowing()) toEnd();
      else offer(log.querySelector("[aria-busy]"), true);
    }).observe(log.closest("main")); // the box grows, too
    toNewest?.addEventListener("click", () => { toEnd(); goOn(); });
    // Who renames or pins what they read goes on where they were.
    const done = document.querySelector(".composer [role=group]");
    const place = done && forNow.get("place");
    afterPaint(() => forNow.set("place", ""));
    if (done) {
      goOn(); // before the browser goes to the note: what is typed there would be shortcuts
      announce(done.ariaLabel);
    }
    if (place) {
      page.scrollTop = place;
      following = isWithin(NEAR_END);
    } else if (location.hash === "#message" || !(location.hash || location.search)) toEnd();
    document.addEventListener("submit", ({ target }) => {
      if (target.matches(".talk .menu form")) forNow.set("place", String(page.scrollTop));
    });
  }

  if (hasKeyboard && location.hash === "#message") goOn();

  // What one has just asked is what one wants to see; and one goes on typing.
  let last = newestTurn()?.id;
  document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
    const turn = newestTurn();
    if (!turn || turn.id === last) return;
    last = turn.id;
    // It was said in another window.
    if (ctx.request.method === "GET") return announce(turn.querySelector(".turn__about").textContent);
    othersShould.postMessage(location.pathname);
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
}
