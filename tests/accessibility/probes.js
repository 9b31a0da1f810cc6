// Checks that run inside a page. The checks are injected through DevTools, which the page's Content
// Security Policy allows.
(() => {
  const STOPS = "a[href], button, input:not([type=hidden]), textarea, select, summary, [tabindex]";
  const FIELDS = "button, .button, input:not([type=hidden], [type=radio], [type=checkbox]), textarea, select";
  // These texts may be cut: sidebar titles, names, cards and lines of text in lists link to a page with the full
  // text, and a button shows the full text of a long message.
  const SHORTENED = ".sidebar :is(li span, p), .brand span, .card :is(h3, p), .rows p span, .search-view :is(.rows a, a span), .turn__message--long .turn__text";
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const style = (element, pseudo) => getComputedStyle(element, pseudo);
  const isSeen = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const isForEarsOnly = (element) => element.closest(".visually-hidden") || style(element).clipPath.startsWith("inset(50%");
  const name = (element) => {
    // A script adds descriptions to new buttons a moment later.
    const tag = element.outerHTML.match(/^<[^>]*>/)[0].replace(/ aria-describedby="[^"]*"/, "");
    return `${tag} ${element.textContent.trim().slice(0, 40)}`;
  };
  const px = (value) => parseFloat(value) || 0;
  const hasEdge = (element) => ["Top", "Right", "Bottom", "Left"].every(
    (side) => style(element)[`border${side}Style`] !== "none" && px(style(element)[`border${side}Width`]) >= 1,
  );
  // The click target may be larger than the focusable element: a label, or a card covered by its
  // link.
  const covered = (element) => style(element, "::after").position === "absolute" && element.offsetParent;
  // An element around the focusable element may draw the edge or focus ring: the form around a
  // field or a menu button, or the card that a link covers.
  const frame = (element) => (element.matches("textarea, input") ? element.closest("form") : element.closest(".menu") ?? covered(element));
  const outlined = (element) => style(element).outlineStyle !== "none" && px(style(element).outlineWidth) >= 1;
  const ringed = (element) => outlined(element) || style(element).boxShadow !== "none";

  // WCAG 2.4.11: a focused element may be covered in part, but not as a whole, except by something
  // that the person has opened and that Escape closes.
  const corners = (element) => [...element.getClientRects()].flatMap(({ x, y, width, height }) =>
    [.1, .5, .9].flatMap((across) => [.1, .5, .9].map((down) => [x + across * width, y + down * height])));
  const isAt = (element, shown) => shown
    && (element.contains(shown) || shown.contains(element));

  // A link in a sentence is as tall as its line; other targets have space around them.
  const isInSentence = (element) => style(element).display === "inline"
    && [...(element.closest("sup") ?? element).parentElement.childNodes].some((node) => node.nodeType === 3 && /[^\s·]/.test(node.data));
  const target = (element) => {
    const label = element.matches("[type=radio], [type=checkbox]") && element.closest("label");
    return (label || covered(element) || element).getBoundingClientRect();
  };

  const widest = () => document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth;
  const scrolls = (element) => /auto|scroll/.test(style(element).overflowX);
  const isStop = (element) => element.matches(STOPS) && element.tabIndex >= 0 && !element.disabled;
  const isScroller = (element) => scrolls(element) && element.scrollWidth > element.clientWidth
    && !all(STOPS, element).some(isStop);
  const cut = (element) => {
    const { overflowX, overflowY, display } = style(element);
    if (display === "inline" || isForEarsOnly(element) || !element.textContent.trim()) return false;
    if (element.matches(SHORTENED)) return false;
    const wide = /hidden|clip/.test(overflowX) && element.scrollWidth > element.clientWidth + 1;
    return wide || (/hidden|clip/.test(overflowY) && element.scrollHeight > element.clientHeight + 1);
  };

  const words = (cell) => {
    const found = [];
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      for (const { 0: word, index } of texts.currentNode.data.matchAll(/[^\s-]+/g)) {
        const range = document.createRange();
        range.setStart(texts.currentNode, index);
        range.setEnd(texts.currentNode, index + word.length);
        found.push({ word, lines: range.getClientRects().length });
      }
    }
    return found;
  };

  const ground = (element) => {
    const { backgroundColor } = style(element);
    return backgroundColor.endsWith(", 0)") && element.parentElement ? ground(element.parentElement) : backgroundColor;
  };

  // An open modal dialog counts as the whole page.
  const root = () => document.querySelector("dialog:modal") ?? document.body;

  // Remember the open menu, because it closes when the focus leaves it.
  const menu = document.querySelector(".menu[open]");
  const popover = all(":popover-open").findLast(isSeen);
  const openerOfMenu = menu?.querySelector("summary") ?? (popover && document.querySelector(`[popovertarget=${popover.id}]`));
  // In a narrow window, the opener is in the closed sidebar.
  const opener = () => (openerOfMenu && isSeen(openerOfMenu) ? openerOfMenu : undefined);
  const isFrom = (element) => !opener() || opener().compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING;

  window.probes = {
    reopen: () => {
      if (menu) menu.open = true;
      if (popover && !popover.matches(":popover-open")) popover.showPopover();
    },

    // Return the position of each visible element, and whether the element scrolls.
    met: () => all("body *").flatMap((element, place) =>
      (isSeen(element) && !isForEarsOnly(element) ? [`${place}${isScroller(element)}`] : [])),

    // Return the classes and colours of elements with text; colour checks depend on them.
    painted: () => [...new Set(all("body *").filter((element) => isSeen(element)
      && (element.matches("input, select, textarea") || [...element.childNodes].some(({ nodeType, data }) => nodeType === 3 && data.trim())))
      .map((element) => `${element.tagName} ${element.className} ${style(element).color} ${ground(element)}`))],

    sideways: () => (widest() <= 0 ? [] : all("body *").filter((element) => {
      const { right, left } = element.getBoundingClientRect();
      const outside = right > innerWidth + 1 || left < -1;
      for (let up = element.parentElement; outside && up; up = up.parentElement) if (scrolls(up)) return false;
      return outside && isSeen(element);
    }).map(name)),

    space: () => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(`* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important }
        p { margin-block-end: 2em !important }`);
      document.adoptedStyleSheets = [sheet];
    },
    unspace: () => { document.adoptedStyleSheets = []; },
    cut: () => all("body *").filter((element) => isSeen(element) && cut(element)).map(name),

    broken: () => all("td, th").flatMap(words).filter(({ lines }) => lines > 1).map(({ word }) => word),

    edgeless: () => all(FIELDS).filter(isSeen).filter(
      (element) => !hasEdge(element) && !(frame(element) && hasEdge(frame(element))),
    ).map(name),
    unmarked: () => all("[aria-current]").filter(isSeen).filter(
      (element) => style(element).textDecorationLine !== "underline" && !hasEdge(element),
    ).map(name),

    moving: () => document.getAnimations().filter((animation) => animation.playState === "running")
      .map((animation) => animation.animationName ?? animation.transitionProperty),
    sliding: () => all("body *").filter(
      (element) => style(element).transitionDuration.split(", ").some((time) => px(time) > 0),
    ).map(name),

    small: () => all(STOPS).filter((element) => isSeen(element) && !element.disabled && !isInSentence(element))
      .filter((element) => { const { width, height } = target(element); return width < 23.9 || height < 23.9; })
      .map((element) => `${name(element)} ${Math.round(target(element).width)}x${Math.round(target(element).height)}`),

    // A script makes scrollable parts of a reply focusable up to a second after they change.
    settled: () => !document.documentElement.classList.contains("scripts")
      || all(":is(.turn__content, .turn__reply) :is(.table, .code pre, .formula)").every(
        (part) => (part.scrollWidth > part.clientWidth) === (part.tabIndex >= 0)),

    // Of a group of radios, only the checked one is a tab stop. A scrollable element is a tab stop
    // if it contains no other tab stop. From an open menu, Tab continues through the menu and
    // beyond.
    stops: () => all("*", root()).filter((element) => isSeen(element) && (isStop(element) || isScroller(element)) && isFrom(element))
      .filter((element) => element.type !== "radio" || element.checked).map(name),
    // Move the focus to the start, then record every element that receives it.
    follow: () => {
      if (opener()) opener().focus();
      else {
        root().tabIndex = -1;
        root().focus();
        root().removeAttribute("tabindex");
      }
      window.followed = [];
      const gone = new AbortController();
      window.unfollow?.();
      window.unfollow = () => gone.abort();
      document.addEventListener("focusin", ({ target: element }) => {
        window.followed.push({
          name: name(element),
          seen: ringed(element) || Boolean(frame(element) && ringed(frame(element))),
          covered: !corners(element).some(([x, y]) => isAt(element, document.elementFromPoint(x, y))),
        });
      }, { signal: gone.signal });
    },
    firsts: () => all("h1").filter((heading) => heading.checkVisibility()).length,
  };
})();
