// A browser without popovers (Firefox before 125, Safari before 17) gets the page as without scripts: this error
// also stops the modules after this one.
if (!("popover" in HTMLElement.prototype)) {
  document.body.setAttribute("hx-ignore", "");
  for (const part of document.querySelectorAll("noscript")) part.outerHTML = part.textContent;
  throw new Error("popovers are missing");
}
