// Copying: by the buttons and links with `data-copy`, and of selected text.
import { announce } from "./announcements.js";
import { onContentChange } from "./content_changes.js";
import { TEXT_FIELDS } from "./focus.js";
import { messages } from "./messages.js";
import { removeNotices, showNotice } from "./notices.js";
import { fetchFragment, reportUnreachable } from "./requests.js";
import { RUNNING_TURN } from "./turns.js";

// Add a copy button to each code block and table.
const button = document.getElementById("copy-code-template");
if (button) onContentChange(() => {
  for (const code of document.querySelectorAll(".code:not(:has(.code__copy))")) {
    code.prepend(button.content.cloneNode(true));
    code.firstElementChild.ariaLabel += ` ${code.dataset.language ?? ""}`;
  }
  // The patches of a running reply need its tables as they are.
  for (const table of document.querySelectorAll(".turn__reply .table:not(:has(+ .code__copy))")) {
    if (table.closest(RUNNING_TURN)) continue;
    table.after(button.content.cloneNode(true));
    const { nextElementSibling: copyTable } = table;
    copyTable.dataset.copy = "table";
    copyTable.ariaLabel = copyTable.textContent = messages.copyTable;
  }
});

// Return the HTML of a cloned part of the page for other programs. Links to places on this page become text.
const cleanHtml = (clone) => {
  for (const part of clone.querySelectorAll(".host, .code__copy, [role=doc-backlink]")) part.remove();
  for (const mark of clone.querySelectorAll("a[href^='#']")) mark.replaceWith(...mark.childNodes);
  return clone.innerHTML;
};

// Copy by an event, which also works where the clipboard API does not: over plain HTTP, and in frames.
const copyByEvent = (formats) => {
  let isCopied = false;
  const fill = (event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
    for (const [type, content] of Object.entries(formats)) event.clipboardData.setData(type, content);
    isCopied = true;
  };
  addEventListener("copy", fill, true);
  document.execCommand("copy");
  removeEventListener("copy", fill, true);
  if (!isCopied) throw new Error("the browser forbids copying");
};
// Safari allows copying only during the click event, so `text` is a promise.
const copy = async (text, formats) => {
  try {
    const plain = text.then((content) => new Blob([content], { type: "text/plain" }));
    plain.catch(() => {}); // the browser may reject the rest before it reads this
    const others = Object.entries(formats).map(([type, content]) => [type, new Blob([content], { type })]);
    await navigator.clipboard.write([new ClipboardItem({ "text/plain": plain, ...Object.fromEntries(others) })]);
  } catch {
    copyByEvent({ "text/plain": await text, ...formats });
  }
};

// Cells separated by tabs. A spreadsheet must not take a text for a formula.
const cellText = (cell) => {
  const clone = cell.cloneNode(true);
  for (const part of clone.querySelectorAll(".host")) part.remove();
  for (const part of clone.querySelectorAll("br")) part.replaceWith(" ");
  for (const math of clone.querySelectorAll("math")) math.replaceWith(math.getAttribute("alttext") ?? math.textContent);
  return clone.textContent.trim().replace(/^[=+@]/, "'$&");
};
const tableText = ({ rows }) => [...rows].map(({ cells }) => [...cells].map(cellText).join("\t")).join("\n");
// What the button Copy appends: "Sources:" and "[1] Annual leave (leave.md)", or "Quoted from …".
const sourceLines = (body) => [...body.querySelectorAll(".turn__source, .sources, .sources > li")].map((source) => {
  const part = (selector) => source.querySelector(selector)?.textContent;
  if (source.matches(".turn__source")) return source.textContent.trim();
  if (source.matches(".sources")) return `${source.ariaLabel}:`;
  const url = part("details > p > a");
  return `[${part("summary > span")}] ${part("bdi")} (${part("details > p > code")})${url ? ` ${url}` : ""}`;
});
const textOf = async ({ dataset, parentElement, previousElementSibling, formAction, href }, sources) => {
  if (dataset.copy === "code") return parentElement.querySelector("code").textContent;
  if (dataset.copy === "table") return tableText(previousElementSibling.querySelector("table"));
  if (dataset.copy === "text") return [await fetchFragment(formAction), ...sources].join("\n\n");
  if (dataset.copy === "link") return href;
  return document.querySelector(dataset.copy).textContent;
};
document.addEventListener("click", async (event) => {
  const from = event.target.closest("[data-copy]");
  if (!from) return;
  event.preventDefault();
  removeNotices();
  // Also with its format.
  const part = from.dataset.copy === "table" ? from.previousElementSibling
    : from.dataset.copy === "text" && from.closest(".turn__body").querySelector(".turn__reply");
  const html = part && part.cloneNode(true);
  const sources = from.dataset.copy === "text" ? sourceLines(from.closest(".turn__body")) : [];
  for (const source of sources) html.append(Object.assign(document.createElement("p"), { textContent: source }));
  const label = [...from.querySelectorAll(".icon-label")].find((each) => each.checkVisibility()) ?? from;
  label.dataset.label ??= label.textContent;
  const isLink = from.dataset.copy === "link";
  if (!isLink) from.style.minInlineSize = `${from.getBoundingClientRect().width}px`;
  const text = textOf(from, sources);
  try {
    await copy(text, html ? { "text/html": cleanHtml(html) } : {});
    label.textContent = isLink ? messages.linkCopied : messages.copied;
    from.toggleAttribute("data-says", isLink); // people expect that others can open the link
    const icon = [...from.querySelectorAll("use")].find((each) => each.checkVisibility());
    const { dataset } = icon ?? from;
    dataset.href ??= icon?.getAttribute("href");
    icon?.setAttribute("href", dataset.href.replace(/#.*/, "#check"));
    announce(label.textContent);
    setTimeout(() => {
      label.textContent = label.dataset.label;
      from.removeAttribute("data-says");
      icon?.setAttribute("href", dataset.href);
    }, isLink ? 6000 : 2000);
  } catch {
    text.then(() => showNotice(messages.notCopied), () => reportUnreachable(from));
  }
});

// Copy selected messages, replies and passages without the colours of the page, as the buttons do.
const PARTS = ".turn__text, .turn__reply, .sources blockquote";
const selectedHtml = (range, part) => {
  const inside = range.cloneRange();
  if (!part.contains(range.startContainer)) inside.setStart(part, 0);
  if (!part.contains(range.endContainer)) inside.setEnd(part, part.childNodes.length);
  let clone = inside.cloneContents();
  // A part of a list, table or code block needs the elements around it.
  for (let around = inside.commonAncestorContainer; around !== part.parentNode; around = around.parentNode) {
    if (around.nodeType !== Node.ELEMENT_NODE) continue;
    const shell = around.cloneNode();
    shell.append(clone);
    clone = shell;
  }
  return cleanHtml(clone);
};
document.addEventListener("copy", (event) => {
  const selection = getSelection();
  if (selection.isCollapsed || event.target.closest?.(TEXT_FIELDS)) return;
  const range = selection.getRangeAt(0);
  const parts = [...document.querySelectorAll(PARTS)].filter((part) => range.intersectsNode(part));
  if (!parts.length) return;
  event.preventDefault();
  event.clipboardData.setData("text/plain", selection.toString());
  event.clipboardData.setData("text/html", parts.map((part) => selectedHtml(range, part)).join("\n"));
});
