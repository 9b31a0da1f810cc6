// Copy buttons: adds one to each code block, and shows a confirmation after copying.
import { announce } from "./announcements.js";
import { messages } from "./messages.js";
import { fetchFragment, reportUnreachable } from "./requests.js";
import { onContentChange } from "./turns.js";

const button = document.getElementById("copy-code-template");
if (button) onContentChange(() => {
  for (const code of document.querySelectorAll(".code:not(:has(.code__copy))")) {
    code.prepend(button.content.cloneNode(true));
    code.firstElementChild.ariaLabel += ` ${code.dataset.language ?? ""}`;
  }
});

const source = async ({ dataset, parentElement, formAction }) => {
  if (dataset.copy === "code") return parentElement.querySelector("code").textContent;
  if (dataset.copy === "text") {
    return fetchFragment(formAction);
  }
  return document.querySelector(dataset.copy).textContent;
};
document.addEventListener("click", async (event) => {
  const from = event.target.closest("[data-copy]");
  if (!from) return;
  const shown = from.dataset.copy.startsWith("#") ? document.querySelector(from.dataset.copy) : from.parentElement.querySelector("code") ?? from.closest(".turn__body");
  const select = () => (shown.select ? shown.select() : getSelection().selectAllChildren(shown));
  if (!navigator.clipboard) return from.form || select();  // the clipboard API needs a secure context
  event.preventDefault();
  // Safari allows copying only during the click event, so pass a promise.
  const words = source(from).then((text) => new Blob([text], { type: "text/plain" }));
  words.catch(() => reportUnreachable(from));
  from.dataset.label ??= from.innerText;
  from.style.minInlineSize = `${from.getBoundingClientRect().width}px`;
  try {
    await navigator.clipboard.write([new ClipboardItem({ "text/plain": words })]);
    from.textContent = messages.copied;
    announce(messages.copied);
    setTimeout(() => { from.textContent = from.dataset.label; }, 2000);
  } catch {
    select();  // the browser forbids it
  }
});
