// Drafts, and storage that ignores errors, because browsers may forbid storage. A missing item is read as
// an empty string, and setting an item to an empty string removes the item.
const safeStorage = (kind) => ({
  get(name) {
    try { return window[kind].getItem(name) ?? ""; } catch { return ""; }
  },
  set(name, text) {
    try { text ? window[kind].setItem(name, text) : window[kind].removeItem(name); } catch {}
  },
});
export const sessionStore = safeStorage("sessionStorage");
export const localStore = safeStorage("localStorage");

// Run a function after the first paint. For example, storage access reads the disk and would delay
// the paint.
export const afterPaint = (act) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(act)));

// localStorage contains one draft per path. A window in which somebody has typed keeps its own copy
// in sessionStorage. Signed-in people have separate drafts, and take over the drafts that visitors
// wrote in this browser. The draft of the first page also has the twin that was chosen for it, after a
// separator that nobody types.
const SEPARATOR = "\x1f";
const { draftOwner } = document.documentElement.dataset;
const visitorsKey = (path) => `draft ${path}`;
const draftKey = (path) => (draftOwner ? `draft ${draftOwner} ${path}` : visitorsKey(path));
export const readDraft = (path) => {
  const own = sessionStore.get(draftKey(path));
  const saved = own ? own.slice(1) : localStore.get(draftKey(path)) || localStore.get(visitorsKey(path));
  const [text, twin] = saved.split(SEPARATOR);
  // What a person has taken over is not there for the next one, who may be somebody else.
  if (draftOwner && localStore.get(visitorsKey(path))) saveDraft(path, text, twin);
  return { text, twin };
};
export const saveDraft = (path, text, twin) => {
  const draft = text && twin ? text + SEPARATOR + twin : text;
  if (draftOwner) localStore.set(visitorsKey(path), "");
  localStore.set(draftKey(path), draft);
  sessionStore.set(draftKey(path), `=${draft}`);
};
// Signing out deletes the drafts of the person: other people may use this browser.
export const deleteDrafts = () => {
  try {
    for (const name of Object.keys(localStorage)) {
      if (draftOwner && name.startsWith(draftKey(""))) localStorage.removeItem(name);
    }
    sessionStorage.clear();
  } catch {}
};
// Deleting a conversation deletes its draft. This window keeps its own copy, in case somebody
// restores the conversation.
export const deleteSharedDraft = (path) => localStore.set(draftKey(path), "");

// A copy is the edited text of an earlier message or of a rejected message. The text of an earlier
// message is stored under the id of its turn. A rejected message has no turn: its text is stored under the path
// of the page.
const copyKey = (path, turn) => `edit ${turn || draftKey(path)}`;
export const readCopy = (path, turn) => {
  const saved = sessionStore.get(copyKey(path, turn));
  return saved ? saved.slice(1) : undefined;
};
export const saveCopy = (path, turn, text) => sessionStore.set(copyKey(path, turn), `=${text}`);
export const deleteCopy = (path, turn) => sessionStore.set(copyKey(path, turn), "");
