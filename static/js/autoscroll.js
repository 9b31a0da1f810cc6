// Where a conversation is read: at its end while the reader is there, and where they are when not.
{
  const NEAR_END_PX = 120;
  const page = document.scrollingElement;
  const log = document.getElementById("log");
  const newestButton = document.getElementById("scroll-to-newest");
  const isNearEnd = (gap) => page.scrollHeight - page.scrollTop - page.clientHeight < gap;
  // Who is away from the end is shown the way there, and whether there is something new.
  const updateNewestButton = (news, away = !isAtEnd) => {
    if (!newestButton) return;
    const label = newestButton.lastElementChild;
    label.hidden = !(away && (news || !label.hidden));
    // The lower the window, the more it would cover.
    newestButton.hidden = !away || isNearEnd(label.hidden ? 9e5 / innerHeight : 2);
    if (newestButton.hidden) return;
    // Above the box, however high that is.
    newestButton.parentElement.style.bottom = `${document.querySelector("#composer").offsetHeight}px`;
  };
  const scrollToEnd = () => {
    isAtEnd = true;
    updateNewestButton();
    page.scrollTop = page.scrollHeight;
    top = page.scrollTop;
  };
  let isAtEnd = false;
  let top = 0;
  let height = 0;
  // Where the page itself has shrunk, the browser moves what is read; where it has grown, only readers move up.
  const trackScroll = () => {
    const by = page.scrollTop - top;
    const grown = page.scrollHeight - height;
    if (!grown || (grown > 0 && by < 0)) isAtEnd = isNearEnd(by > 0 ? NEAR_END_PX : 2) || (isAtEnd && by >= 0);
    [top, height] = [page.scrollTop, page.scrollHeight];
  };
  // Who reads by the keyboard has the focus there.
  const shouldAutoscroll = () => {
    trackScroll();
    return newestButton && isAtEnd && !document.querySelector(".turn:focus, .turn:not(:last-child):focus-within, .turn__reply :focus-visible");
  };
  addEventListener("scroll", () => {
    trackScroll();
    updateNewestButton();
  });
  if (log) {
    new ResizeObserver(() => {
      if (shouldAutoscroll()) scrollToEnd();
      else updateNewestButton(log.querySelector("[aria-busy]"), true);
    }).observe(log.closest("main")); // the box grows, too
    newestButton?.addEventListener("click", () => { scrollToEnd(); focusComposer(); });
    // Who renames or pins what they read goes on where they were.
    const done = document.querySelector(".composer [role=group]");
    const place = done && sessionStore.get("place");
    afterPaint(() => sessionStore.set("place", ""));
    if (done) {
      focusComposer(); // before the browser goes to the note: what is typed there would be shortcuts
      announce(done.ariaLabel);
    }
    if (place) {
      page.scrollTop = place;
      isAtEnd = isNearEnd(NEAR_END_PX);
    } else if (location.hash === "#message" || !(location.hash || location.search)) scrollToEnd();
    document.addEventListener("submit", ({ target }) => {
      if (target.matches(".conversation .menu form")) sessionStore.set("place", String(page.scrollTop));
    });
  }

  if (hasKeyboard && location.hash === "#message") focusComposer();

  // What one has just asked is what one wants to see; and one goes on typing.
  let last = newestTurn()?.id;
  document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
    const turn = newestTurn();
    if (!turn || turn.id === last) return;
    last = turn.id;
    // It was said in another window.
    if (ctx.request.method === "GET") return announce(turn.querySelector(".turn__label").textContent);
    tabSyncChannel.postMessage(location.pathname);
    scrollToEnd();
    focusComposer();
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
    if (first) focusAndShowTurn(first);
    page.scrollTop = page.scrollHeight - below;
    announce(messages.earlier);
  });
}
