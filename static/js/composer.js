// What is typed: sent by Enter or by Ctrl+Enter as people like it, kept until it is sent, counted.
{
  const root = document.documentElement;
  const box = () => document.getElementById("message");

  // While an input method composes (229 in Safari), Enter is its own; touch keyboards have no Shift.
  document.addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    if (target.id !== "message") return;
    const sends = event.ctrlKey || event.metaKey || (hasKeyboard && root.dataset.enter !== "newline");
    if (!sends) return;
    event.preventDefault();
    if (target.value.trim()) target.form.requestSubmit();
  });

  // Send and Stop take turns in one place: the second half of a double click is not for the other.
  const DOUBLE_MS = 500;
  let pressed;
  let pressedAt;
  document.addEventListener("click", (event) => {
    const within = event.target.closest?.(".composer__send, .composer__stop")?.classList;
    const button = within && (within.contains("composer__stop") ? "stop" : "send");
    if (!button) return pressed = undefined;
    const now = performance.now();
    if (pressed && button !== pressed && now - pressedAt < DOUBLE_MS) return event.preventDefault();
    [pressed, pressedAt] = [button, now];
  }, true);

  // One draft for each place, in this browser. It goes when its words have been sent.
  const place = `draft ${location.pathname}`;
  const keep = (words) => forLong.set(place, words);
  const count = () => {
    const { limit } = box().dataset;
    const left = limit - [...box().value].length;  // an emoji is one
    const shown = document.querySelector(".counter");
    shown.textContent = left < limit / 10 ? shown.dataset.left.replace("{}", left) : "";
    shown.toggleAttribute("data-over", left < 0);
  };
  let typed = "";
  // The words of an earlier message are in the box: the draft waits until they are sent or put away.
  const editing = () => Boolean(document.querySelector(".composer [data-words]"));
  document.addEventListener("input", ({ target }) => {
    if (target.id !== "message") return;
    pressed = undefined;  // who writes in between means it
    typed = target.value;
    if (!editing()) keep(target.value);
    count();
  });

  // Escape leaves what is edited, and the next one the box.
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.target.id !== "message" || !editing()) return;
    event.preventDefault();
    document.querySelector(".composer [data-words]").click();
  });

  // "Edit" puts the words of an earlier message into the box, without a way to another page.
  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-words]");
    if (!link || !box() || box().disabled || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    htmx.ajax("GET", link.pathname + link.search, { source: link, target: "#composer", swap: "outerHTML" });
  });
  let edited = editing();
  // What is typed between a message and its answer is not swapped away with the box.
  let sending;
  document.addEventListener("htmx:config:request", ({ detail: { ctx } }) => {
    if (ctx.sourceElement?.matches(".composer form")) sending = typed = ctx.request.body.get("content");
  });
  const typedSince = () => {
    if (sending === undefined || typed === sending) return;
    const isMore = !box().value && typed.startsWith(sending);
    box().value = isMore ? typed.slice(sending.length).trimStart() : typed;
    box().setSelectionRange(box().value.length, box().value.length);
  };
  document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
    if (!box() || !ctx.sourceElement?.closest(".composer, [data-words]")) return;
    const asked = ctx.sourceElement.matches("[data-words]");
    if (!asked) typedSince();
    sending = undefined;
    if (editing()) edited = true;
    else if (edited) {
      edited = false;
      box().value ||= forLong.get(place);
    } else keep(box().value);
    count();
    if (!asked) return;
    announce(document.querySelector(".composer .note")?.firstElementChild.textContent);
    box().focus({ preventScroll: true });
    box().setSelectionRange(box().value.length, box().value.length);
  });

  // Only a page that follows says that what was sent by a plain form has come.
  const sent = forNow.get("sent");
  if (sent && sent !== place) forLong.set(sent, "");
  forNow.set("sent", "");
  if (box()) box().value ||= forLong.get(place);
  document.addEventListener("submit", ({ target, defaultPrevented }) => {
    if (!defaultPrevented && target.contains(box())) forNow.set("sent", place);
  });
}
