// What is typed: sent by Enter or by Ctrl+Enter as people like it, kept until it is sent, counted.
{
  const root = document.documentElement;
  const textarea = () => document.getElementById("message");
  // The focus has just come here by itself, from a button that was about to be pressed.
  const FOCUS_MOVED_MS = 2000;
  const DOUBLE_CLICK_MS = 500;
  const hasFocusJustMoved = () => performance.now() - focusMovedAt < FOCUS_MOVED_MS;

  // While an input method composes (229 in Safari), Enter is its own; touch keyboards have no Shift.
  document.addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (key !== "Enter" && key !== " ") focusMovedAt = -Infinity;  // who goes on by the keyboard means it
    if (key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    if (target.id !== "message") return;
    const sends = event.ctrlKey || event.metaKey || (hasKeyboard && root.dataset.enter !== "newline");
    if (!sends) return;
    event.preventDefault();
    if (!hasFocusJustMoved()) target.form.requestSubmit();
  });

  // Send and Stop take turns in one place: the second half of a double click is not for the other.
  document.addEventListener("click", (event) => {
    const within = event.target.closest?.(".composer__send, .composer__stop")?.classList;
    const button = within && (within.contains("composer__stop") ? "stop" : "send");
    if (!button) return lastPressed = undefined;
    const now = performance.now();
    const isSecondClick = lastPressed && button !== lastPressed && now - lastPressedAt < DOUBLE_CLICK_MS;
    const byKey = !event.detail;
    if (isSecondClick || (byKey && hasFocusJustMoved())) return event.preventDefault();
    [lastPressed, lastPressedAt] = [button, now];
  }, true);

  // One draft for each place, in this browser; a window has its own as soon as one has typed there.
  // It goes when its words have been sent.
  const draftKey = `draft ${location.pathname}`;
  const saveDraft = (words, where = draftKey) => {
    localStore.set(where, words);
    sessionStore.set(where, `=${words}`);
  };
  const savedDraft = () => (sessionStore.get(draftKey) ? sessionStore.get(draftKey).slice(1) : localStore.get(draftKey));
  const updateCounter = () => {
    const { limit } = textarea().dataset;
    const left = limit - [...textarea().value].length;  // an emoji is one
    const shown = document.querySelector(".counter");
    const words = left < 0 ? shown.dataset.overLimitText : left < limit / 10 ? shown.dataset.remainingText : "";
    // With the digits of the rest of the page.
    shown.textContent = words.replace("{}", Math.abs(left).toLocaleString(`${root.lang}-u-nu-latn`));
    const changed = shown.classList.toggle("counter--over", left < 0) !== (textarea().ariaInvalid === "true");
    textarea().ariaInvalid = left < 0 ? "true" : null;
    if (changed && !document.querySelector(".composer [role=alert]")) announce(shown.textContent);
    return left;
  };
  let typed = "";
  const editing = () => document.querySelector(".composer [data-edit-message]");
  // Words that the page gave are in the box, of an earlier message or refused ones: the draft waits
  // until they are sent or put away, and so long this window keeps what becomes of them.
  let edited = textarea()?.defaultValue;
  const editKey = () => `edit ${here.searchParams.get("words_of") ?? draftKey}`;
  const restore = () => {
    const became = sessionStore.get(editKey());
    if (became) textarea().value = became.slice(1);
  };
  const saveText = (words) => (edited ? sessionStore.set(editKey(), `=${words}`) : saveDraft(words));
  const edit = (turn) => {
    if (!turn) sessionStore.set(editKey(), "");
    if (turn) here.searchParams.set("words_of", turn);
    else here.searchParams.delete("words_of");
    history.replaceState(history.state, "", here);
  };
  document.addEventListener("input", ({ target }) => {
    if (target.id !== "message") return;
    lastPressed = undefined;  // who writes in between means it
    focusMovedAt = -Infinity;
    typed = target.value;
    saveText(typed);
    if (updateCounter() >= 0 && typed.trim()) document.querySelector("[data-remove-on-input]")?.remove();
  });

  // Escape leaves what is edited, and the next one the box.
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.isComposing || !event.target.closest?.(".composer") || !editing()) return;
    event.preventDefault();
    document.querySelector(".composer [data-edit-message]").click();
  });

  // "Edit" puts the words of an earlier message into the box, without a way to another page.
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-edit-message]");
    if (!button || !textarea() || textarea().disabled) return;
    event.preventDefault();
    htmx.ajax("GET", `${button.formAction.split("#")[0]}?words_of=${button.value}`, { source: button, target: "#composer", swap: "outerHTML" });
  });
  let editRequest;
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
    if (ctx.sourceElement?.matches("[data-edit-message]")) editRequest = ctx;
    // The answer to a message must find its form.
    if (ctx === editRequest && document.querySelector(".composer form.htmx-request")) return event.preventDefault();
    const to = ctx.response?.headers.get("HX-Redirect");
    if (!to || !ctx.sourceElement.matches(".composer form")) return;
    sessionStore.set("sent", draftKey);
    saveDraft(withTextTypedSince(""), `draft ${to}`);
    textarea().value = "";  // for whoever comes back
  });
  document.addEventListener("htmx:before:swap", () => { caret = [textarea()?.selectionStart, textarea()?.scrollTop]; });
  const joinParagraphs = (...words) => words.filter(Boolean).join("\n\n");
  const withTextTypedSince = (given) => {
    if (typed === sending) return given;
    if (!typed.startsWith(sending)) return joinParagraphs(given, typed);
    return given ? typed : typed.slice(sending.length).trimStart();
  };
  // What stands in the conversation is no draft: its answer was lost, or another window sent it.
  const discardSentDraft = () => {
    if (edited || textarea().value !== newestTurn()?.querySelector(".turn__said").lastChild.textContent) return;
    textarea().value = "";
    saveDraft("");
  };
  document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
    if (textarea() && ctx.sourceElement?.id === "log") discardSentDraft();
    if (!textarea() || !ctx.sourceElement?.closest(".composer, [data-edit-message]")) return;
    const given = textarea().value;
    if (ctx !== editRequest) textarea().value = withTextTypedSince(given);
    const draft = edited && savedDraft();
    if (editing()) {
      edited = true;
      if (ctx === editRequest) edit(ctx.sourceElement.value);
    } else if (edited) {
      edit();
      edited = given;
      if (ctx !== editRequest) saveText(textarea().value);
    }
    if (edited) restore();
    else {
      textarea().value = joinParagraphs(draft, textarea().value);
      saveDraft(textarea().value);
      if (draft) announce(messages.draft);
    }
    const [at, top] = textarea().value === typed ? caret : [textarea().value.length, 0];
    if (ctx !== editRequest) textarea().setSelectionRange(at, at);
    textarea().scrollTop = top;
    sending = typed = textarea().value;
    updateCounter();
    if (ctx !== editRequest) return;
    announce(document.querySelector(".composer .note")?.firstElementChild.textContent ?? messages.cancelled);
    textarea().focus();
    textarea().setSelectionRange(textarea().value.length, textarea().value.length);
  });

  // Only a page that follows says that what was sent has come.
  afterPaint(() => {
    // A draft goes with its conversation; whoever brings that back has in this window what was typed here.
    if (completedAction === "deleted") localStore.set(`draft /conversations/${completedActionId}`, "");
    const sent = sessionStore.get("sent");
    if (sent && sent !== draftKey) {
      saveDraft("", sent);
      sessionStore.set("sent", "");
    }
    if (!textarea()) return;
    if (edited && edited === savedDraft()) saveDraft("");
    // It may have been typed before this script came.
    if (textarea().value !== textarea().defaultValue) saveText(textarea().value);
    else if (edited) restore();
    else {
      sessionStore.set(editKey(), "");
      textarea().value = savedDraft();
      discardSentDraft();
    }
    updateCounter();
    // The reply may have ended before this page came.
    if (sent && hasKeyboard) restoreComposerFocus();
  });
}
