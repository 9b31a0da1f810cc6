"""Characters that the parser would take for markup are replaced while it runs.

The parser decides what is code, so nothing can be escaped before it: that would be visible in code.
Instead, private-use characters stand in for `<`, `$`, backslashes and the marks of footnotes.
`restore` replaces them in the HTML; in code, by the original characters.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator
from html import unescape
from urllib.parse import quote

from twindow.rendering.latex import ENVIRONMENTS
from twindow.rendering.table_rows import PIPE, keep_cells

# "<" that would begin raw HTML: shown as text.
_LESS_THAN = "\ue000"
# "<" of a tag that is markup: <br>, <sub>, <sup> and <kbd> without attributes.
_TAG = "\ue001"
# "$" that delimits no formula, such as that of a price.
_DOLLAR = "\ue002"
# The backslash of "\(" and "\[" without a partner, and of escapes in URLs.
_BACKSLASH = "\ue003"
# The brackets around the label of a footnote: of a reference, and of a definition.
REFERENCE, DEFINITION, LABEL_END = "\ue004", "\ue005", "\ue006"
# The blanks within "$ x $": the parser takes dollars beside blanks for text.
_BLANK = "\ue007"
# Nothing, before a line of a formula that would begin another block.
_NOTHING = "\ue008"
# "~" alone, as in "5~10": only two strike text out.
_TILDE = "\ue009"
# "[" after a backslash, and that of the definition of a link, which the parser would not show.
_BRACKET = "\ue00a"
# The blank after a bare URL, before a character that the parser would take for a part of it.
_URL_END = "\ue00b"
# Before the dollars around an environment that has no marks of its own.
_ENVIRONMENT = "\ue00d"
# Around the number of a definition, in its URL.
_USED = "\ue00e"
_USED_NUMBER = re.compile(r"%EE%80%8E(\d+)%EE%80%8E")
_INSERTED = re.compile(rf" {_URL_END}|{_ENVIRONMENT}\$\$")
_ANY = re.compile("[\ue000-\ue00f]")
_ANY_REFERENCE = re.compile(r"&#(?:x0*e00[0-9a-f]|0*(?:5734[4-9]|5735[0-9]));", re.IGNORECASE)
_NOT_A_FOOTNOTE = re.compile("[\ue000-\ue002\ue007-\ue00f]")

# Not before autolinks, link destinations in angle brackets, and after a backslash.
_HTML_START = re.compile(
    r"(?<![\\])(?<!\]\()<(?=[A-Za-z/!?])(?!https?://|mailto:|[\w.+-]+@[\w.-]+>)"
)
_INLINE_TAG = re.compile(r"(?<!\\)<(?=/?(?:br|sub|sup|kbd)\s*/?>)", re.IGNORECASE)
_REFERENCE_MARK = re.compile(r"(?<!\\)\[\^([^\s\[\]^]{1,40})\](?!\()")
_DEFINITION_MARK = re.compile(r"^( {0,3})\[\^([^\s\[\]^]{1,40})\]:", re.MULTILINE)
# A bare URL ends before blanks, quotation marks, angle brackets, footnotes, and the punctuation
# of other scripts: CJK, full-width, Arabic, Devanagari. The parser finds the other ends.
_OTHER_PUNCTUATION = (
    "\u00a0\u00ab\u00bb\u2018-\u201f\u2026\u2028-\u202f\u3000-\u3003\u3008-\u3011\u3014-\u301f\uff01-\uff0f"
    "\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\u060c\u061b\u061f\u06d4\u0964\u0965"
)
_BARE_URL = re.compile(
    rf"(?<!\]\()(?<!<)((?:https?://|www\.)(?:[^\s\[\]'\"<>{_OTHER_PUNCTUATION}]|\[(?!\^)|'(?=\w))++)"
    rf"([\['\"<>{_OTHER_PUNCTUATION}]?)",
    re.IGNORECASE,
)
_ESCAPE = re.compile(r"\\(?=[!-/:-@\[-`{-~]|\Z)")
# The label of a link's definition, and a definition of a web or mail address in a protected text.
_LABEL = rf"((?:[^\[\]\\{_BRACKET}]|\\.){{1,999}})\]"
_DEFINITION_START = re.compile(
    rf"^((?:[ \t>]|(?:[-*+]|\d{{1,9}}[.)])[ \t])*+)\[{_LABEL}:", re.MULTILINE
)
_LINK_DEFINITION = re.compile(
    rf"{_BRACKET}{_LABEL}{_NOTHING}:[\s>]*<?((?:https?://|mailto:)[^\s<>\\]+)", re.IGNORECASE
)

_FORMULA_MARK = re.compile(
    rf"\\(?:begin|end)\{{(?:{'|'.join(ENVIRONMENTS)})\*?\}}|\\[()\[\]]|\\.|\$+|\n[ \t]*\n",
    re.DOTALL,
)
_CLOSING = str.maketrans("([", ")]")
FORMULA_START = re.compile(r"\$|\\[(\[]|\\begin\{")
_LONE_TILDE = re.compile(r"(?<![~\\])~(?!~)")
_NUMBER = re.compile(r"\d[\d.,]*(?:[kKmMbB]n?)?\b")
_SHELL_NAME = re.compile(r"[A-Z_][A-Z0-9_]+\b")
_MATH_SIGN = re.compile(r"[\\^_=+{}<>*/|]")
_CLEAR_MATH_SIGN = re.compile(r"[\\^_=]")
_PLAIN_WORD = re.compile(r"[^\W\d_]{3,}")
_WORD = re.compile(r"[A-Za-z0-9_{]")
# A line whose mark opens a formula of several lines. Longer formulas are not converted.
_MAX_DISPLAY_LENGTH = 2_000
_LINE_START = re.compile(r"\n(?:[ \t]*(?=[^\s])|[ \t]*(?=\n))")

_CODE_ELEMENT = re.compile(r"(<code[ >].*?</code>)", re.DOTALL)
# In URLs, the parser has percent-encoded the stand-ins.
_ENCODED = re.compile("%EE%80%8[0-9A-C]")
_URL_ATTRIBUTE = re.compile(r'(?<= )(?:href|src)="[^"]*"')
_ORIGINALS = {
    _LESS_THAN: "&lt;",
    _TAG: "&lt;",
    _DOLLAR: "$",
    _BACKSLASH: "\\",
    REFERENCE: "[^",
    DEFINITION: "[^",
    LABEL_END: "]",
    _BLANK: " ",
    _NOTHING: "",
    _TILDE: "~",
    _BRACKET: "[",
    _URL_END: "",
    _ENVIRONMENT: "",
    PIPE: "|",
}
# An escape in a URL loses its backslash.
_URL_ORIGINALS = {
    quote(placeholder): quote(unescape(original), safe="$")
    for placeholder, original in (_ORIGINALS | {_BACKSLASH: ""}).items()
}
_RESTORED_TAG = re.compile(f"{_TAG}(/?)(br|sub|sup|kbd)\\s*/?&gt;", re.IGNORECASE)


def protect(text: str, *, is_growing: bool = False) -> str:
    """Replace the characters that are no markup; line numbers stay the same.

    If the text is growing, a formula at its end may still be closed.
    """
    text = _ANY.sub("\ufffd", text)
    if "&#" in text:
        text = _ANY_REFERENCE.sub("\ufffd", text)
    if "://" in text or "www." in text:
        text = _BARE_URL.sub(_end_url, text)
    if "[^" in text:
        text = _DEFINITION_MARK.sub(rf"\1{DEFINITION}\2{LABEL_END}:", text)
        text = _REFERENCE_MARK.sub(rf"{REFERENCE}\1{LABEL_END}", text)
    if "]:" in text:
        text = _DEFINITION_START.sub(rf"\1{_BRACKET}\2]{_NOTHING}:", text)
    if "<" in text:
        text = _INLINE_TAG.sub(_TAG, text)
        text = _HTML_START.sub(_LESS_THAN, text)
    if FORMULA_START.search(text):
        text = _protect_formula_marks(text, is_growing=is_growing)
    if "|" in text:
        text = keep_cells(text)
    return _LONE_TILDE.sub(_TILDE, text) if "~" in text else text


def _end_url(match: re.Match[str]) -> str:
    """Return a bare URL without escapes, and let it end before the next character."""
    url, next_character = _ESCAPE.sub(_BACKSLASH, match[1]), match[2]
    return f"{url} {_URL_END}{next_character}" if next_character else url


def parse_with_definitions(source: str, parse: Callable[[str], str]) -> str:
    """Return the HTML of a protected text, in which definitions of links are text.

    The parser gets a copy of each definition, with a mark in its URL. A mark in the HTML shows that
    the definition is used: then the text is parsed again, and this definition is none of its text.
    """
    definitions = list(_LINK_DEFINITION.finditer(source)) if _BRACKET in source else []
    copies = "".join(
        f"[{label}]: <{found[2]}{_USED}{number}{_USED}>\n\n"
        for number, found in enumerate(definitions)
        if (label := " ".join(found[1].split()))
    )
    html = parse(copies + source)
    if used := {int(number) for number in _USED_NUMBER.findall(html)}:
        parts, end = [copies], 0
        for number in sorted(used):
            start, next_end = definitions[number].span()
            definition = source[start:next_end].replace(_BRACKET, "[").replace(_NOTHING, "", 1)
            parts += source[end:start], definition
            end = next_end
        html = parse("".join(parts) + source[end:])
    return _USED_NUMBER.sub("", html) if copies else html


def open_formula(text: str) -> int | None:
    """Return where the formula begins that is not closed at the end of a growing text."""
    marks = _FormulaMarks(text, is_growing=True)
    deque(marks.replacements(), maxlen=0)
    return marks.first_open


def restore(parser_html: str) -> str:
    """Put the characters and the permitted tags into the HTML of the parser.

    The marks of footnotes outside of code remain; `footnotes.add_links` replaces them.
    """
    parser_html = _INSERTED.sub("", parser_html)
    if "%EE%80%8" in parser_html:
        parser_html = _URL_ATTRIBUTE.sub(_restore_url, parser_html)
    if not _ANY.search(parser_html):
        return parser_html
    parts = _CODE_ELEMENT.split(parser_html)
    parts[1::2] = [restore_marks(code) for code in parts[1::2]]
    parts[::2] = map(_restore_text, parts[::2])
    return "".join(parts)


def restore_marks(html: str) -> str:
    """Put all characters into HTML, without permitted tags."""
    return _ANY.sub(lambda found: _ORIGINALS[found[0]], html)


def _restore_url(attribute: re.Match[str]) -> str:
    return _ENCODED.sub(lambda found: _URL_ORIGINALS[found[0]], attribute[0])


def _restore_text(html: str) -> str:
    html = _RESTORED_TAG.sub(lambda tag: f"<{tag[1]}{tag[2].lower()}>", html)
    return _NOT_A_FOOTNOTE.sub(lambda found: _ORIGINALS[found[0]], html.replace(_BACKSLASH, ""))


def _protect_formula_marks(text: str, *, is_growing: bool) -> str:
    """Replace dollars that delimit no formula, and opening brackets without a partner."""
    replaced = dict(_FormulaMarks(text, is_growing=is_growing).replacements())
    parts: list[str] = []
    end = 0
    for position in sorted(replaced):
        parts += text[end:position], replaced[position]
        end = position + 1
    return "".join(parts) + text[end:]


class _FormulaMarks:
    """The marks of formulas in a text, from the first to the last."""

    def __init__(self, text: str, *, is_growing: bool) -> None:
        self._text = text
        self._is_growing = is_growing
        # The positions of open marks; those of brackets and environments by the mark that closes.
        self._dollar: int | None = None
        self._dollars: int | None = None
        self._brackets: dict[str, int] = {}

    @property
    def first_open(self) -> int | None:
        """Return the position of the first mark that is not closed, after `replacements`."""
        opened = [self._dollar, self._dollars, *self._brackets.values()]
        return min((position for position in opened if position is not None), default=None)

    def replacements(self) -> Iterator[tuple[int, str]]:
        """Yield the positions of characters, and what stands in for each of them."""
        for match in _FORMULA_MARK.finditer(self._text):
            mark, position = match[0], match.start()
            if mark == "$$":
                yield from self._read_dollars(position)
            elif mark == "$":
                yield from self._read_dollar(position)
            elif mark[0] == "$":
                yield from self._as_text(position, mark)
            elif mark in ("\\(", "\\["):
                closing = mark.translate(_CLOSING)
                yield from self._as_text(self._brackets.get(closing), mark)
                self._brackets[closing] = position
            elif mark.startswith("\\begin") and self.first_open is None:
                self._brackets[mark.replace("begin", "end")] = position
            elif mark in self._brackets:
                yield from self._close_bracket(position, mark)
            elif mark[0] == "\n":
                yield from self._end_paragraph(position)
        yield from self._as_text(self._dollar, "$")
        for mark, position in self._brackets.items():
            yield from self._as_text(position, mark)
        displays = [start for mark, start in self._brackets.items() if mark != "\\)"]
        start = min(displays, default=None) if self._dollars is None else self._dollars
        if self._is_growing and start is not None and self._begins_lines(start):
            yield from self._keep_lines(start, len(self._text))

    def _read_dollars(self, position: int) -> Iterator[tuple[int, str]]:
        if self._dollars is None:
            yield from self._as_text(self._dollar, "$")
            self._dollar, self._dollars = None, position
            return
        start, self._dollars = self._dollars, None
        if _is_display(self._text[start + 2 : position]):
            yield from self._keep_lines(start, position)
        else:
            yield from self._as_text(start, "$$")
            self._dollars = position  # this may open the next one

    def _read_dollar(self, position: int) -> Iterator[tuple[int, str]]:
        if self._dollars is not None:
            return
        start = self._dollar
        if start is not None and _is_formula(self._text, start, position):
            self._dollar = None
            if self._text[start + 1] == " ":
                yield start + 1, _BLANK
                yield position - 1, _BLANK
            return
        yield from self._as_text(start, "$")
        self._dollar = position if _may_open(self._text, position) else None
        if self._dollar is None:
            yield position, _DOLLAR

    def _close_bracket(self, position: int, mark: str) -> Iterator[tuple[int, str]]:
        start = self._brackets.pop(mark)
        if mark.startswith("\\end"):
            yield from self._keep_lines(start, position)
            yield start, f"{_ENVIRONMENT}$$\\"
            yield position + len(mark) - 1, f"}}{_ENVIRONMENT}$$"
        elif _is_prose(self._text[start + 2 : position], mark):
            yield from self._as_text(start, mark)
            yield from self._as_text(position, mark)
        elif mark == "\\]":
            yield from self._keep_lines(start, position)

    def _end_paragraph(self, position: int) -> Iterator[tuple[int, str]]:
        """Close the marks that no other paragraph can close: a blank line may be in a display."""
        yield from self._as_text(self._dollar, "$")
        self._dollar = None
        if self._dollars is not None and not self._continues(self._dollars, position, "$$"):
            self._dollars = None
        for mark, start in list(self._brackets.items()):
            if mark == "\\)" or not self._continues(start, position, mark):
                yield from self._as_text(start, mark)
                del self._brackets[mark]

    def _continues(self, start: int, position: int, closing: str) -> bool:
        """Return whether a formula of several lines goes on after a blank line."""
        if not self._begins_lines(start) or position - start > _MAX_DISPLAY_LENGTH:
            return False
        end = self._text.find(closing, position, start + _MAX_DISPLAY_LENGTH)
        return self._is_growing if end < 0 else _is_display(self._text[start + 2 : end])

    def _begins_lines(self, start: int) -> bool:
        """Return whether the mark is alone on its line, so that a formula of lines follows."""
        if self._text.startswith("\\begin", start):
            return True
        line_start = self._text.rfind("\n", 0, start) + 1
        line_end = self._text.find("\n", start)
        line = self._text[line_start : line_end if line_end >= 0 else None]
        return line.strip() in ("$$", "\\[")

    def _keep_lines(self, start: int, end: int) -> Iterator[tuple[int, str]]:
        """Keep the lines of a display from beginning other blocks, such as lists."""
        line_start = self._text.rfind("\n", 0, start) + 1
        if self._text[line_start:start].lstrip(" ").startswith(">"):
            return
        for line in _LINE_START.finditer(self._text, start, end):
            yield line.end(), _NOTHING + self._text[line.end() : line.end() + 1]

    def _as_text(self, position: int | None, mark: str) -> Iterator[tuple[int, str]]:
        """Let a mark be text."""
        if position is None:
            return
        if mark[0] == "$":
            yield from ((position + offset, _DOLLAR) for offset in range(len(mark)))
        elif len(mark) == len("\\("):
            yield position, _BACKSLASH
            if self._text[position + 1] == "[":
                yield position + 1, _BRACKET


def _is_display(latex: str) -> bool:
    """Return whether two pairs of dollars delimit a formula, and are no levels of prices."""
    if _CLEAR_MATH_SIGN.search(latex):
        return not re.search(r"\*\*|^[ \t]*(?:[-*]|\d+\.) .*[^\W\d_]{3}", latex, re.MULTILINE)
    return bool(latex.strip()) and not _PLAIN_WORD.search(latex)


def _is_prose(latex: str, closing: str) -> bool:
    r"""Return whether brackets enclose no formula, as in "grep has \( and \)" and "\[1\]"."""
    words = latex.strip()
    if closing == "\\]":
        is_name = words.isdecimal() or re.fullmatch(r"[^\W\d_]{2,}(?:[ .,'-]+\w+)*", words)
        return bool(is_name) and "\n" not in latex
    is_word = len(words) > 1 and words.isalpha()
    return words != latex and (is_word or words.endswith("\\"))


def _may_open(text: str, position: int) -> bool:
    before, after = text[position - 1 : position], text[position + 1 : position + 2]
    return (after.strip(" ") != "" and not _WORD.fullmatch(before)) or after == " "


def _is_formula(text: str, start: int, end: int) -> bool:
    """Return whether two dollars delimit a formula, and not prices or the names of variables."""
    latex, after = text[start + 1 : end], text[end + 1 : end + 2]
    content = latex.strip(" ")
    if not content or content != content.strip() or after.isdigit():
        return False
    if content != latex:  # "$ x $"
        is_spaced = latex[0] == latex[-1] == " "
        is_math = _CLEAR_MATH_SIGN.search(content) or not _PLAIN_WORD.search(content)
        return is_spaced and bool(is_math) and not _NUMBER.match(content)
    if _NUMBER.match(latex) and re.search(r"\s", latex) and not _MATH_SIGN.search(latex):
        return False  # "$5 and 6$"
    if not _WORD.fullmatch(after) or len(latex) == 1:
        return True
    # "$n^2$th" is a formula, "$HOME:$PATH" and "$MY_VAR:$PATH" are not.
    return bool(re.search(r"[\\^_]", latex)) and not _SHELL_NAME.match(latex)
