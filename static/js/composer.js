// What is typed: sent by Enter or by Ctrl+Enter as people like it, kept until it is sent, counted.
{
  const root = document.documentElement;
  const box = () => document.getElementById("message");
  // The focus has just come here by itself, from a button that was about to be pressed.
  const MOVED_MS = 2000;
  const DOUBLE_MS = 500;
  const isMeantForAnother = () => performance.now() - movedAt < MOVED_MS;

  // While an input method composes (229 in Safari), Enter is its own; touch keyboards have no Shift.
  document.addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (key !== "Enter" && key !== " ") movedAt = -Infinity;  // who goes on by the keyboard means it
    if (key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    if (target.id !== "message") return;
    const sends = event.ctrlKey || event.metaKey || (hasKeyboard && root.dataset.enter !== "newline");
    if (!sends) return;
    event.preventDefault();
    if (!isMeantForAnother()) target.form.requestSubmit();
  });

  // Send and Stop take turns in one place: the second half of a double click is not for the other.
  document.addEventListener("click", (event) => {
    const within = event.target.closest?.(".composer__send, .composer__stop")?.classList;
    const button = within && (within.contains("composer__stop") ? "stop" : "send");
    if (!button) return pressed = undefined;
    const now = performance.now();
    const isHalf = pressed && button !== pressed && now - pressedAt < DOUBLE_MS;
    const byKey = !event.detail;
    if (isHalf || (byKey && isMeantForAnother())) return event.preventDefault();
    [pressed, pressedAt] = [button, now];
  }, true);

  // One draft for each place, in this browser; a window has its own as soon as one has typed there.
  // It goes when its words have been sent.
  const place = `draft ${location.pathname}`;
  const keep = (words, where = place) => {
    forLong.set(where, words);
    forNow.set(where, `=${words}`);
  };
  const kept = () => (forNow.get(place) ? forNow.get(place).slice(1) : forLong.get(place));
  const count = () => {
    const { limit } = box().dataset;
    const left = limit - [...box().value].length;  // an emoji is one
    const shown = document.querySelector(".counter");
    const words = left < 0 ? shown.dataset.over : left < limit / 10 ? shown.dataset.left : "";
    // With the digits of the rest of the page.
    shown.textContent = words.replace("{}", Math.abs(left).toLocaleString(`${root.lang}-u-nu-latn`));
    const changed = shown.classList.toggle("counter--over", left < 0) !== (box().ariaInvalid === "true");
    box().ariaInvalid = left < 0 ? "true" : null;
    if (changed && !document.querySelector(".composer [role=alert]")) announce(shown.textContent);
    return left;
  };
  let typed = "";
  const editing = () => document.querySelector(".composer [data-words]");
  // Words that the page gave are in the box, of an earlier message or refused ones: the draft waits
  // until they are sent or put away, and so long this window keeps what becomes of them.
  let edited = box()?.defaultValue;
  const changed = () => `edit ${here.searchParams.get("words_of") ?? place}`;
  const restore = () => {
    const became = forNow.get(changed());
    if (became) box().value = became.slice(1);
  };
  const store = (words) => (edited ? forNow.set(changed(), `=${words}`) : keep(words));
  const edit = (turn) => {
    if (!turn) forNow.set(changed(), "");
    if (turn) here.searchParams.set("words_of", turn);
    else here.searchParams.delete("words_of");
    history.replaceState(history.state, "", here);
  };
  document.addEventListener("input", ({ target }) => {
    if (target.id !== "message") return;
    pressed = undefined;  // who writes in between means it
    movedAt = -Infinity;
    typed = target.value;
    store(typed);
    if (count() >= 0 && typed.trim()) document.querySelector("[data-until-changed]")?.remove();
  });

  // Escape leaves what is edited, and the next one the box.
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.isComposing || !event.target.closest?.(".composer") || !editing()) return;
    event.preventDefault();
    document.querySelector(".composer [data-words]").click();
  });

  // "Edit" puts the words of an earlier message into the box, without a way to another page.
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-words]");
    if (!button || !box() || box().disabled) return;
    event.preventDefault();
    htmx.ajax("GET", `${button.formAction.split("#")[0]}?words_of=${button.value}`, { source: button, target: "#composer", swap: "outerHTML" });
  });
  let asked;
  // What is typed between a message and its answer is not swapped away with the box.
  let sending = "";
  let caret = [];
  document.addEventListener("htmx:config:request", (event) => {
    const { ctx } = event.detail;
    if (!ctx.sourceElement?.matches(".composer form")) return;
    // What is pressed meanwhile would find no form for its answer.
    if (ctx.sourceElement.matches(".htmx-request")) return event.preventDefault();
    sending = typed = ctx.request.body.get("content");
  });
  document.addEventListener("htmx:before:response", (event) => {
    const { ctx } = event.detail;
    if (ctx.sourceElement?.matches("[data-words]")) asked = ctx;
    // The answer to a message must find its form.
    if (ctx === asked && document.querySelector(".composer form.htmx-request")) return event.preventDefault();
    const to = ctx.response?.headers.get("HX-Redirect");
    if (!to || !ctx.sourceElement.matches(".composer form")) return;
    forNow.set("sent", place);
    keep(withSince(""), `draft ${to}`);
    box().value = "";  // for whoever comes back
  });
  document.addEventListener("htmx:before:swap", () => { caret = [box()?.selectionStart, box()?.scrollTop]; });
  const both = (...words) => words.filter(Boolean).join("\n\n");
  const withSince = (given) => {
    if (typed === sending) return given;
    if (!typed.startsWith(sending)) return both(given, typed);
    return given ? typed : typed.slice(sending.length).trimStart();
  };
  // What stands in the conversation is no draft: its answer was lost, or another window sent it.
  const letGo = () => {
    if (edited || box().value !== newestTurn()?.querySelector(".turn__said").lastChild.textContent) return;
    box().value = "";
    keep("");
  };
  document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
    if (box() && ctx.sourceElement?.id === "log") letGo();
    if (!box() || !ctx.sourceElement?.closest(".composer, [data-words]")) return;
    const given = box().value;
    if (ctx !== asked) box().value = withSince(given);
    const draft = edited && kept();
    if (editing()) {
      edited = true;
      if (ctx === asked) edit(ctx.sourceElement.value);
    } else if (edited) {
      edit();
      edited = given;
      if (ctx !== asked) store(box().value);
    }
    if (edited) restore();
    else {
      box().value = both(draft, box().value);
      keep(box().value);
      if (draft) announce(told.draft);
    }
    const [at, top] = box().value === typed ? caret : [box().value.length, 0];
    if (ctx !== asked) box().setSelectionRange(at, at);
    box().scrollTop = top;
    sending = typed = box().value;
    count();
    if (ctx !== asked) return;
    announce(document.querySelector(".composer .note")?.firstElementChild.textContent ?? told.cancelled);
    box().focus();
    box().setSelectionRange(box().value.length, box().value.length);
  });

  // Only a page that follows says that what was sent has come.
  afterPaint(() => {
    // A draft goes with its conversation; whoever brings that back has in this window what was typed here.
    if (justDone === "deleted") forLong.set(`draft /conversations/${whatWith}`, "");
    const sent = forNow.get("sent");
    if (sent && sent !== place) {
      keep("", sent);
      forNow.set("sent", "");
    }
    if (!box()) return;
    if (edited && edited === kept()) keep("");
    // It may have been typed before this script came.
    if (box().value !== box().defaultValue) store(box().value);
    else if (edited) restore();
    else {
      forNow.set(changed(), "");
      box().value = kept();
      letGo();
    }
    count();
    // The reply may have ended before this page came.
    if (sent && hasKeyboard) typeOn();
  });
}
