// Parts of a reply that assistive technology would not know by themselves.
{
  // What is wider than the page scrolls, by the keyboard too; what is not is no stop on the way.
  const SCROLLABLE_SELECTOR = ".turn__reply :is(.table, .code pre, math[display=block])";
  const names = { SECTION: messages.table, PRE: messages.code, math: messages.formula };
  const makeScrollable = () => {
    for (const part of document.querySelectorAll(SCROLLABLE_SELECTOR)) {
      const scrolls = part.scrollWidth > part.clientWidth;
      if (scrolls) part.tabIndex = 0;
      else part.removeAttribute("tabindex");
      if (part.tagName !== "math") part.role = scrolls ? "group" : null;
      const { language = "" } = part.parentElement.dataset;
      part.ariaLabel = scrolls ? `${names[part.tagName]} ${language}`.trim() : null;
    }
  };
  // A note leads back by an arrow, which is no name.
  const labelBacklinks = () => {
    for (const back of document.querySelectorAll("[role=doc-backlink]")) back.ariaLabel = `${messages.back} ${back.hash.split("-").at(-1)}`;
  };
  onContentChange(makeScrollable, 1000);
  onContentChange(labelBacklinks);
  addEventListener("resize", makeScrollable);
}
