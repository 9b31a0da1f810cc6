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

  // One draft for each place, in this browser. It goes when its words have been sent.
  const place = `draft ${location.pathname}`;
  const keep = (words) => {
    try {
      if (words) localStorage.setItem(place, words);
      else localStorage.removeItem(place);
    } catch {
      // No room, or no leave to keep anything: the words are still in the box.
    }
  };
  const count = () => {
    const left = box().maxLength - box().value.length;
    const told = document.querySelector(".counter");
    told.textContent = left < box().maxLength / 10 ? told.dataset.left.replace("{}", left) : "";
  };
  document.addEventListener("input", ({ target }) => {
    if (target.id !== "message") return;
    keep(target.value);
    count();
  });
  document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
    if (ctx.sourceElement?.closest(".composer")) keep(box()?.value);
  });
  try {
    // Only a page that follows says that what was sent by a plain form has come.
    const sent = sessionStorage.getItem("sent");
    if (sent && sent !== place) localStorage.removeItem(sent);
    sessionStorage.removeItem("sent");
    if (box() && !box().value) box().value = localStorage.getItem(place) ?? "";
    document.addEventListener("submit", ({ target, defaultPrevented }) => {
      if (!defaultPrevented && target.contains(box())) sessionStorage.setItem("sent", place);
    });
  } catch {
    // The same.
  }

  // "Edit" puts the words of an earlier message into the box, without a way to another page.
  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-words]");
    if (!link || !box() || box().disabled || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (box().value.trim()) return;
    event.preventDefault();
    box().value = link.closest(".turn").querySelector(".turn__said > :last-child").textContent;
    box().focus();
    keep(box().value);
    count();
  });
}
