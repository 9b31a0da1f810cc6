// The message box: sends on Enter or Ctrl+Enter (a preference), stores drafts, and counts characters.
{
  const root = document.documentElement;
  const textarea = () => document.getElementById("message");
  // Time after a script moved the focus here in which a key press was probably meant for the old target.
  const FOCUS_MOVED_MS = 2000;
  const DOUBLE_CLICK_MS = 500;
  const hasFocusJustMoved = () => performance.now() - focusMovedAt < FOCUS_MOVED_MS;

  // During IME composition (keyCode 229 in Safari), Enter belongs to the IME; touch keyboards have no Shift+Enter.
  document.addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (key !== "Enter" && key !== " ") focusMovedAt = -Infinity;  // another key: the person has noticed the new focus
    if (key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    if (target.id !== "message") return;
    const sends = event.ctrlKey || event.metaKey || (hasKeyboard && root.dataset.enter !== "newline");
    if (!sends) return;
    event.preventDefault();
    if (!hasFocusJustMoved()) target.form.requestSubmit();
  });

  // Send and Stop replace each other: ignore the second click of a double click on the other button.
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

  // One draft per path in localStorage; a window has its own in sessionStorage once somebody typed there.
  // It is deleted when it has been sent.
  const draftKey = `draft ${location.pathname}`;
  const saveDraft = (words, where = draftKey) => {
    localStore.set(where, words);
    sessionStore.set(where, `=${words}`);
  };
  const savedDraft = () => (sessionStore.get(draftKey) ? sessionStore.get(draftKey).slice(1) : localStore.get(draftKey));
  const updateCounter = () => {
    const { limit } = textarea().dataset;
    const left = limit - [...textarea().value].length;  // counts code points, as the server does
    const shown = document.querySelector(".counter");
    const words = left < 0 ? shown.dataset.overLimitText : left < limit / 10 ? shown.dataset.remainingText : "";
    // Latin digits, as on the rest of the page.
    shown.textContent = words.replace("{}", Math.abs(left).toLocaleString(`${root.lang}-u-nu-latn`));
    const changed = shown.classList.toggle("counter--over", left < 0) !== (textarea().ariaInvalid === "true");
    textarea().ariaInvalid = left < 0 ? "true" : null;
    if (changed && !document.querySelector(".composer [role=alert]")) announce(shown.textContent);
    return left;
  };
  let typed = "";
  const editing = () => document.querySelector(".composer [data-edit-message]");
  // The server filled the box, with an earlier message or a rejected one: the draft is restored after this
  // text is sent or discarded; until then, changes to it are stored for this window only.
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
    lastPressed = undefined;  // typing in between: the next click is intended
    focusMovedAt = -Infinity;
    typed = target.value;
    saveText(typed);
    if (updateCounter() >= 0 && typed.trim()) document.querySelector("[data-remove-on-input]")?.remove();
  });

  // Escape cancels editing; pressed again, it leaves the box.
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.isComposing || !event.target.closest?.(".composer") || !editing()) return;
    event.preventDefault();
    document.querySelector(".composer [data-edit-message]").click();
  });

  // "Edit" loads an earlier message into the box without loading another page.
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-edit-message]");
    if (!button || !textarea() || textarea().disabled) return;
    event.preventDefault();
    htmx.ajax("GET", `${button.formAction.split("#")[0]}?words_of=${button.value}`, { source: button, target: "#composer", swap: "outerHTML" });
  });
  let editRequest;
  // Text typed while a message is being sent must survive the swap of the composer.
  let sending = "";
  let caret = [];
  document.addEventListener("htmx:config:request", (event) => {
    const { ctx } = event.detail;
    if (!ctx.sourceElement?.matches(".composer form")) return;
    // A second request would find no form for its response.
    if (ctx.sourceElement.matches(".htmx-request")) return event.preventDefault();
    sending = typed = ctx.request.body.get("content");
  });
  document.addEventListener("htmx:before:response", (event) => {
    const { ctx } = event.detail;
    if (ctx.sourceElement?.matches("[data-edit-message]")) editRequest = ctx;
    // The response to the message that is being sent must find its form.
    if (ctx === editRequest && document.querySelector(".composer form.htmx-request")) return event.preventDefault();
    const to = ctx.response?.headers.get("HX-Redirect");
    if (!to || !ctx.sourceElement.matches(".composer form")) return;
    sessionStore.set("sent", draftKey);
    saveDraft(withTextTypedSince(""), `draft ${to}`);
    textarea().value = "";  // in case the person goes back
  });
  document.addEventListener("htmx:before:swap", () => { caret = [textarea()?.selectionStart, textarea()?.scrollTop]; });
  const joinParagraphs = (...words) => words.filter(Boolean).join("\n\n");
  const withTextTypedSince = (given) => {
    if (typed === sending) return given;
    if (!typed.startsWith(sending)) return joinParagraphs(given, typed);
    return given ? typed : typed.slice(sending.length).trimStart();
  };
  // A draft equal to the newest message was sent: the response was lost, or another window sent it.
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

  // Delete a sent draft only here, on the next page, which proves that the message arrived.
  afterPaint(() => {
    // Deleting a conversation deletes its draft; after a restore, this window still has its own copy.
    if (completedAction === "deleted") localStore.set(`draft /conversations/${completedActionId}`, "");
    const sent = sessionStore.get("sent");
    if (sent && sent !== draftKey) {
      saveDraft("", sent);
      sessionStore.set("sent", "");
    }
    if (!textarea()) return;
    if (edited && edited === savedDraft()) saveDraft("");
    // Text may have been typed before this script ran.
    if (textarea().value !== textarea().defaultValue) saveText(textarea().value);
    else if (edited) restore();
    else {
      sessionStore.set(editKey(), "");
      textarea().value = savedDraft();
      discardSentDraft();
    }
    updateCounter();
    // The reply may have ended before this page loaded.
    if (sent && hasKeyboard) restoreComposerFocus();
  });
}
