// A reply in the page: where it is read, what is said of it, and what can be copied.
{
  // The page stays at its end while the reader is there, and where they are when they are not.
  const NEAR_END = 120;
  const page = document.scrollingElement;
  const log = document.getElementById("log");
  const newest = document.getElementById("newest");
  const atEnd = () => page.scrollHeight - page.scrollTop - page.clientHeight < NEAR_END;
  const toEnd = () => { page.scrollTop = page.scrollHeight; };
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
    newest?.addEventListener("click", () => {
      following = true;
      newest.hidden = true;
      toEnd();
    });
    if (!location.hash && !location.search) toEnd();
  }

  // Whole sentences are announced, at most once a second: not each word as it comes.
  const announcer = document.getElementById("announcer");
  let sentences;
  const announced = new Map();
  let waiting;
  const announce = () => {
    waiting = undefined;
    const turn = [...document.querySelectorAll(".turn")].at(-1);
    const reply = turn?.querySelector(".turn__reply");
    if (!reply || document.documentElement.dataset.announce === "off") return;
    // To make one takes longer than all else that a page does before it is seen.
    sentences ??= new Intl.Segmenter(document.documentElement.lang, { granularity: "sentence" });
    const words = reply.textContent;
    const said = announced.get(turn.id) ?? 0;
    const parts = [...sentences.segment(words.slice(said))].map((part) => part.segment);
    if (reply.hasAttribute("aria-busy")) parts.pop();
    const told = parts.join("");
    announced.set(turn.id, said + told.length);
    if (told.trim()) announcer.textContent = told;
  };
  document.addEventListener("htmx:sse:after:message", () => {
    if (announcer) waiting ??= setTimeout(announce, 1000);
  });

  // Code gets a button; what a button copies, it says that it has.
  const button = document.getElementById("code-copy");
  const equip = () => {
    if (!button) return;
    for (const code of document.querySelectorAll(".code:not(:has(.code__copy))")) {
      code.prepend(button.content.cloneNode(true));
    }
  };
  whenNew(equip);
  const source = async (from) => {
    if (from.dataset.copy === "code") return from.parentElement.querySelector("code").textContent;
    if (from.dataset.copy !== "fetch") return document.querySelector(from.dataset.copy).textContent;
    return (await fetch(from.href)).text();
  };
  document.addEventListener("click", async (event) => {
    const from = event.target.closest("[data-copy]");
    if (!from || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const shown = from.dataset.copy.startsWith("#") ? document.querySelector(from.dataset.copy) : from.closest(".code, .turn__body");
    const select = () => (shown.select ? shown.select() : getSelection().selectAllChildren(shown));
    if (!navigator.clipboard) return from.href || select();  // plain http has none
    event.preventDefault();
    // Safari copies only what is asked for in the moment of the click.
    const words = source(from).then((text) => new Blob([text], { type: "text/plain" }));
    from.dataset.label ??= from.textContent;
    try {
      await navigator.clipboard.write([new ClipboardItem({ "text/plain": words })]);
      from.textContent = document.getElementById("copied").innerHTML;
      setTimeout(() => { from.textContent = from.dataset.label; }, 2000);
    } catch {
      select();  // the browser forbids it
    }
  });
}
