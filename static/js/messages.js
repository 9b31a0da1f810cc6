// The sentences of the scripts. The server replaces this module by one in the language
// of the page (web/i18n/js_strings.py).
export const messages = {};
