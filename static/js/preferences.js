// Preferences take effect when the portal has saved them: styles and scripts read them from attributes of <html>.
document.addEventListener("htmx:after:request", ({ detail: { ctx } }) => {
  if (!ctx.sourceElement.matches("[hx-post$='/preferences']") || ctx.response.status >= 400) return;
  const { next, language, ...chosen } = Object.fromEntries(ctx.request.body);
  const root = document.documentElement;
  Object.assign(root.dataset, chosen);
  for (const control of document.querySelectorAll("[name=theme]")) {
    const isChosen = control.value === chosen.theme;
    if (control.type === "radio") control.checked = isChosen;
    else control.ariaCurrent = isChosen || null;
  }
  const { backgroundColor } = getComputedStyle(root);
  for (const meta of document.querySelectorAll("[name=theme-color]")) meta.content = backgroundColor;
  for (const mark of document.querySelectorAll(".saved")) mark.replaceChildren();
});
