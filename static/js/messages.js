// The sentences of the scripts, in the language of the page (twindow/web/i18n/js_strings.py).
export const messages = JSON.parse(document.getElementById("messages").textContent);
