// Single keys for what the page has anyway. They rest while somebody types, and can be switched off.
{
  const root = document.documentElement;
  const WRITING = "input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable]";
  const WAYS = {
    "?": ["#shortcuts-link"],
    "/": ["[type=search]", "#message"],
    m: ["#message", "[type=search]"],
    n: [".talk__new"],
    s: [".turn:is([data-state=waiting], [data-state=streaming]) .turn__tools button"],
    gt: ["#to-twins"],
    gc: ["#to-conversations"],
  };
  const find = (places = []) => places.map((place) => document.querySelector(place)).find(Boolean);
  let before = "";
  addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    const writing = target.closest?.(WRITING);
    if (key === "Escape" && !event.defaultPrevented) writing?.blur();
    if (writing || root.dataset.shortcuts === "off" || document.querySelector("dialog[open]")) return;
    const way = find(WAYS[before + key] ?? WAYS[key]);
    before = key === "g" ? key : "";
    if (!way) return;
    event.preventDefault();
    if (way.matches(WRITING)) way.focus();
    else way.click();
  });

  // The link leads to the help page; with scripts, its sheet opens over this one.
  const link = document.getElementById("shortcuts-link");
  link?.addEventListener("click", async (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const answer = await fetch(link.href, { headers: { "HX-Request": "true" } }).catch(() => null);
    if (!answer?.ok) return location.assign(link.href);
    const sheet = document.createElement("dialog");
    sheet.className = "sheet";
    sheet.innerHTML = await answer.text();
    sheet.setAttribute("aria-labelledby", "keyboard");
    sheet.addEventListener("close", () => sheet.remove());
    document.body.append(sheet);
    sheet.showModal();
  });
}
