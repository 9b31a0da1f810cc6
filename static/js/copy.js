// Code gets a button, and a link to the text of a reply becomes one. What is copied, it says.
{
  const button = document.getElementById("code-copy");
  whenNew(() => {
    for (const link of document.querySelectorAll("a[data-copy]:not([role])")) link.role = "button";
    if (!button) return;
    for (const code of document.querySelectorAll(".code:not(:has(.code__copy))")) {
      code.prepend(button.content.cloneNode(true));
    }
  });

  const source = async ({ dataset, parentElement, href }) => {
    if (dataset.copy === "code") return parentElement.querySelector("code").textContent;
    if (dataset.copy !== "fetch") return document.querySelector(dataset.copy).textContent;
    return (await fetch(href)).text();
  };
  document.addEventListener("keydown", (event) => {
    if (event.key !== " " || !event.target.matches("a[data-copy]")) return;
    event.preventDefault();
    event.target.click();
  });
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
    from.style.minInlineSize = `${from.getBoundingClientRect().width}px`;
    try {
      await navigator.clipboard.write([new ClipboardItem({ "text/plain": words })]);
      from.textContent = told.copied;
      announce(told.copied);
      setTimeout(() => { from.textContent = from.dataset.label; }, 2000);
    } catch {
      select();  // the browser forbids it
    }
  });
}
