"""Characters that the parser would take for markup are replaced while it runs.

The parser decides what is code, so nothing can be escaped before it: that would be visible in code.
Instead, private-use characters stand in for `<`, `$`, backslashes and the marks of footnotes.
`restore` replaces them in the HTML; in code, by the original characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# "<" that would begin raw HTML: shown as text.
_LESS_THAN = "\ue000"
# "<" of a tag that is markup: <br>, <sub>, <sup> and <kbd> without attributes.
_TAG = "\ue001"
# "$" that delimits no formula, such as that of a price.
_DOLLAR = "\ue002"
# The backslash of "\(" and "\[" without a partner.
_BACKSLASH = "\ue003"
# The brackets around the label of a footnote: of a reference, and of a definition.
REFERENCE, DEFINITION, LABEL_END = "\ue004", "\ue005", "\ue006"
_ALL = _LESS_THAN + _TAG + _DOLLAR + _BACKSLASH + REFERENCE + DEFINITION + LABEL_END
_ANY = re.compile(f"[{_ALL}]")
_NOT_A_FOOTNOTE = re.compile(f"[{_LESS_THAN}{_TAG}{_DOLLAR}]")

# Not before autolinks, link destinations in angle brackets, and after a backslash.
_HTML_START = re.compile(
    r"(?<![\\])(?<!\]\()<(?=[A-Za-z/!?])(?!https?://|mailto:|[\w.+-]+@[\w.-]+>)"
)
_INLINE_TAG = re.compile(r"(?<!\\)<(?=/?(?:br|sub|sup|kbd)\s*/?>)", re.IGNORECASE)
_REFERENCE_MARK = re.compile(r"(?<!\\)\[\^([^\s\[\]^]{1,40})\](?!\()")
_DEFINITION_MARK = re.compile(r"^( {0,3})\[\^([^\s\[\]^]{1,40})\]:", re.MULTILINE)

_DOLLARS_AND_BRACKETS = re.compile(r"\\[()\[\]]|\\.|\$\$?|\n[ \t]*\n", re.DOTALL)
_NUMBER = re.compile(r"\d[\d.,]*(?:[kKmMbB]n?)?\b")
_SHELL_NAME = re.compile(r"[A-Z_][A-Z0-9_]+\b")
_MATH_SIGN = re.compile(r"[\\^_=+{}<>*/|]")
_WORD = re.compile(r"[A-Za-z0-9_]")

_CODE_ELEMENT = re.compile(r"(<code[ >].*?</code>)", re.DOTALL)
# In URLs, the parser has percent-encoded the stand-ins.
_ENCODED = re.compile("%EE%80%8[0-6]")
_ORIGINALS = {
    _LESS_THAN: "&lt;",
    _TAG: "&lt;",
    _DOLLAR: "$",
    _BACKSLASH: "\\",
    REFERENCE: "[^",
    DEFINITION: "[^",
    LABEL_END: "]",
}
_ENCODED_ORIGINALS = ("%3C", "%3C", "$", "%5C", "%5B%5E", "%5B%5E", "%5D")
_RESTORED_TAG = re.compile(f"{_TAG}(/?)(br|sub|sup|kbd)\\s*/?&gt;", re.IGNORECASE)


def protect(text: str) -> str:
    """Replace the characters that are no markup; line numbers stay the same."""
    text = _ANY.sub("\ufffd", text)
    if "[^" in text:
        text = _DEFINITION_MARK.sub(rf"\1{DEFINITION}\2{LABEL_END}:", text)
        text = _REFERENCE_MARK.sub(rf"{REFERENCE}\1{LABEL_END}", text)
    if "<" in text:
        text = _INLINE_TAG.sub(_TAG, text)
        text = _HTML_START.sub(_LESS_THAN, text)
    if "$" in text or "\\(" in text or "\\[" in text:
        text = _protect_formula_marks(text)
    return text


def unprotect(text: str) -> str:
    """Return the text as it was."""
    for stand_in, original in _ORIGINALS.items():
        text = text.replace(stand_in, "<" if original == "&lt;" else original)
    return text


def restore(parser_html: str) -> str:
    """Put the characters and the permitted tags into the HTML of the parser.

    The marks of footnotes outside of code remain; `footnotes.add_links` replaces them.
    """
    if "%EE%80%8" in parser_html:
        parser_html = _ENCODED.sub(lambda found: _ENCODED_ORIGINALS[int(found[0][-1])], parser_html)
    if not _ANY.search(parser_html):
        return parser_html
    parts = _CODE_ELEMENT.split(parser_html)
    parts[1::2] = [restore_marks(code) for code in parts[1::2]]
    parts[::2] = map(_restore_text, parts[::2])
    return "".join(parts)


def restore_marks(html: str) -> str:
    """Put all characters into HTML, without permitted tags."""
    return _ANY.sub(lambda found: _ORIGINALS[found[0]], html)


def _restore_text(html: str) -> str:
    html = _RESTORED_TAG.sub(lambda tag: f"<{tag[1]}{tag[2].lower()}>", html)
    return _NOT_A_FOOTNOTE.sub(lambda found: _ORIGINALS[found[0]], html.replace(_BACKSLASH, ""))


def _protect_formula_marks(text: str) -> str:
    """Replace dollars that delimit no formula, and opening brackets without a partner."""
    replaced = dict(_lone_marks(text))
    parts: list[str] = []
    end = 0
    for position in sorted(replaced):
        parts += text[end:position], replaced[position]
        end = position + 1
    return "".join(parts) + text[end:]


def _lone_marks(text: str) -> Iterator[tuple[int, str]]:
    """Yield the position of each mark that delimits no formula, and its stand-in."""
    open_dollar: int | None = None
    open_brackets: dict[str, int] = {}
    is_display = False
    for match in _DOLLARS_AND_BRACKETS.finditer(text):
        mark, position = match[0], match.start()
        if mark == "$$":
            is_display = not is_display
        elif mark == "$":
            if is_display:
                continue
            if open_dollar is not None and _is_formula(text, open_dollar, position):
                open_dollar = None
                continue
            if open_dollar is not None:
                yield open_dollar, _DOLLAR
                open_dollar = None
            if _may_open(text, position):
                open_dollar = position
            else:
                yield position, _DOLLAR
        elif mark in ("\\(", "\\["):
            if mark in open_brackets:
                yield open_brackets[mark], _BACKSLASH
            open_brackets[mark] = position
        elif mark in ("\\)", "\\]"):
            start = open_brackets.pop("\\(" if mark == "\\)" else "\\[", None)
            if start is not None and _is_prose(text[start + 2 : position]):
                yield start, _BACKSLASH
                yield position, _BACKSLASH
        elif mark[0] == "\n":
            if open_dollar is not None:
                yield open_dollar, _DOLLAR
            for opened in open_brackets.values():
                yield opened, _BACKSLASH
            open_dollar, is_display = None, False
            open_brackets.clear()
    if open_dollar is not None:
        yield open_dollar, _DOLLAR
    for opened in open_brackets.values():
        yield opened, _BACKSLASH


def _is_prose(latex: str) -> bool:
    r"""Return whether brackets enclose no formula, as in "grep has \( and \)"."""
    words = latex.strip()
    is_word = len(words) > 1 and words.isalpha()
    return words != latex and (is_word or words.endswith("\\"))


def _may_open(text: str, position: int) -> bool:
    before, after = text[position - 1 : position], text[position + 1 : position + 2]
    return bool(after) and not after.isspace() and not _WORD.fullmatch(before)


def _is_formula(text: str, start: int, end: int) -> bool:
    """Return whether two dollars delimit a formula, and not prices or the names of variables."""
    latex, after = text[start + 1 : end], text[end + 1 : end + 2]
    if not latex or latex[-1].isspace() or after.isdigit() or _SHELL_NAME.match(latex):
        return False
    if _NUMBER.match(latex) and re.search(r"\s", latex) and not _MATH_SIGN.search(latex):
        return False  # "$5 and 6$"
    # "$n$th" is a formula, "$HOME:$PATH" is not.
    is_word_next = bool(_WORD.fullmatch(after))
    return not is_word_next or len(latex) == 1 or bool(re.search(r"[\\^_]", latex))
