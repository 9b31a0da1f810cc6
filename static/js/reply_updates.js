// Swap styles for the patches of a reply (twindow/rendering/stream/dom_patch.py). Equal nodes and the equal
// beginning of a text stay, and with them the selection, the focus and scroll positions.

// conversation.js sets these attributes of wide parts.
const SCRIPT_ATTRIBUTES = new Set(["tabindex", "role", "aria-label"]);
const attributesOf = (element) => [...element.attributes]
  .filter(({ name }) => !SCRIPT_ATTRIBUTES.has(name))
  .map(({ name, value }) => `${name}=${value}`)
  .join("\n");
const isText = (node) => node?.nodeType === Node.TEXT_NODE;
const isSameElement = (one, other) => one.localName
  && one.localName === other.localName
  && attributesOf(one) === attributesOf(other);
const commonLength = (one, other) => {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
};

// When a list becomes loose, the text of its items moves into paragraphs. With moveBefore, a moved
// element keeps the focus.
const wrapText = (node, paragraph) => {
  node.before(paragraph);
  for (let next = node; next && !next.matches?.("ul, ol, div, section, blockquote"); next = paragraph.nextSibling) {
    if (paragraph.moveBefore) paragraph.moveBefore(next, null);
    else paragraph.append(next);
  }
  return paragraph;
};

// Turn `node` and the nodes after it in `parent` into the children of `fresh`, which is emptied.
const updateNodes = (parent, node, fresh) => {
  while (node && fresh.firstChild) {
    const { firstChild: other } = fresh;
    if (parent.localName === "li" && other.localName === "p" && node.localName !== "p") {
      node = wrapText(node, other.cloneNode());
    }
    const { nextSibling: next } = node;
    if (isText(node) && isText(other)) {
      const length = commonLength(node.data, other.data);
      const isContinued = length === node.length && isText(next);
      node.deleteData(length, node.length);
      other.deleteData(0, length);
      if (!other.length) other.remove();
      else if (!isContinued) parent.insertBefore(other, next);
    } else if (node.isEqualNode(other)) {
      other.remove();
    } else if (isSameElement(node, other)) {
      updateNodes(node, node.firstChild, other);
      other.remove();
    } else {
      node.replaceWith(other);
    }
    node = next;
  }
  while (node) {
    const { nextSibling: next } = node;
    node.remove();
    node = next;
  }
  parent.append(...fresh.childNodes);
};

// A text that moves into another element, such as the items of a list that becomes loose, loses the
// selection. It is selected again at the same place in the text.
const offsetOf = (reply, node, offset) => {
  const range = new Range();
  range.setStart(reply, 0);
  range.setEnd(node, offset);
  return range.toString().length;
};
const placeOf = (reply, offset, isEnd) => {
  const walker = document.createTreeWalker(reply, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { currentNode: node } = walker;
    if (offset < node.length + isEnd) return [node, offset];
    offset -= node.length;
  }
};
const keepSelection = (reply, update) => {
  const selection = getSelection();
  const { anchorNode, anchorOffset, focusNode, focusOffset, isCollapsed } = selection;
  if (isCollapsed || !reply.contains(anchorNode) || !reply.contains(focusNode)) return update();
  const selectedText = selection.toString();
  const anchor = offsetOf(reply, anchorNode, anchorOffset);
  const focus = offsetOf(reply, focusNode, focusOffset);
  const end = Math.max(anchor, focus);
  const before = reply.textContent.slice(0, end);
  update();
  if (selection.toString() === selectedText || reply.textContent.slice(0, end) !== before) return;
  selection.setBaseAndExtent(...placeOf(reply, anchor, anchor === end), ...placeOf(reply, focus, focus === end));
};

const STYLES = {
  updateInner: (target, fresh) => updateNodes(target, target.firstChild, fresh),
  updateRest: (target, fresh) => updateNodes(target.parentNode, target, fresh),
};
// htmx.js runs after the modules, and before this event.
document.addEventListener("DOMContentLoaded", () => {
  globalThis.htmx?.registerExtension("reply-updates", {
    handle_swap: (style, target, fragment) => {
      if (!(style in STYLES)) return false;
      // htmx removes this class only after the swap.
      target.classList.remove("htmx-swapping");
      if (!target.className) target.removeAttribute("class");
      keepSelection(target.closest(".turn__reply"), () => STYLES[style](target, fragment));
      return []; // no part of a reply uses htmx
    },
  });
});
