"""Embedding of Markdown in exported Markdown: nothing in it is active, and headings are lowered.

Viewers disagree about Markdown. The result must be harmless in viewers that know no code fences,
allow HTML, and follow links to any destination.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pyromark

from rendering.source_limits import normalize_line_ends

MARKDOWN_OPTIONS = (
    pyromark.Options.ENABLE_TABLES
    | pyromark.Options.ENABLE_STRIKETHROUGH
    | pyromark.Options.ENABLE_TASKLISTS
    | pyromark.Options.ENABLE_FOOTNOTES
    | pyromark.Options.ENABLE_MATH
)
# Escaping HTML may turn the text after it into HTML, so the text is escaped in several passes. If
# the last pass still finds HTML, every "<" is escaped, even in code.
MAX_ESCAPE_PASSES = 4

# Parsers that do not support formulas recognise HTML and images inside formulas.
_DIALECTS = (MARKDOWN_OPTIONS, pyromark.Options(0))
# Start of text that any parser may recognise as HTML, an image, or attributes in braces, and the
# backslashes before it. Parsers disagree about the definition of a tag, but not about a URL in
# angle brackets. A match begins at the first backslash; the lookbehind keeps it from beginning at
# a later one.
_HANDLER = r"(?:\bon[a-z]+|action|data|href|src\w*|style)\s*="
_QUOTED_BRACE = r"=\s*(?:'[^'}\n]{0,300}\}|\"[^\"}\n]{0,300}\})"
_MARKUP = re.compile(
    r"(?<!\\)(\\*+)(<(?=[A-Za-z/!?])(?!https?://[^\s<>\[\]\"'`]*>)|!(?=\\*+\[)"
    rf"|\{{(?=[^}}]{{300}}|[^}}]{{0,300}}?(?:{_HANDLER}|{_QUOTED_BRACE})))",
    re.IGNORECASE,
)
_ENTITIES = {"<": "&lt;", "!": "&#33;", "{": "&#123;"}
# Links and reference definitions with destinations that are not `_USUAL`. Some viewers allow blanks
# before the parenthesis; a destination may follow on the next line, also in a quotation. Some copy
# a quotation mark in a destination into an attribute. A viewer without footnotes reads a footnote
# as a reference definition: if its first word has none of the characters `:&\`, this word is a
# harmless destination. All lengths are limited because the time would grow with their square; a
# longer label is escaped, too. A definition may follow the box of a task.
_USUAL = (
    r"[\s>]*+<?+(?:https?://|mailto:)"
    r"(?:[^\s<>()\"`]|\([^\s<>()\"`]{0,500}\)){0,2000}+(?=[\s)>]|\Z)"
)
_SCHEME = r"[\s>]*+<?+[^)]{0,100}?[:&\\]"
_LINK = re.compile(rf"(?<!\\)(\\*+)\](?=[ \t]*+\((?!{_USUAL}))", re.IGNORECASE)
_DEFINITION = re.compile(
    rf"^([ \t>*+.):\d-]*+(?:\[[ xX]\][ \t]++)*+)\[(?!\^[^]\\]{{1,200}}+\]:(?!{_SCHEME}))"
    rf"(?=(?:[^]\\]|\\.){{1,200}}+(?:\]:(?!{_USUAL})|[^]]))",
    re.IGNORECASE | re.MULTILINE,
)
_ACTIVE = re.compile(
    "|".join(pattern.pattern for pattern in (_MARKUP, _LINK, _DEFINITION)),
    re.IGNORECASE | re.MULTILINE,
)
# Code that viewers without code fences read as HTML, an image, or a link with a scheme.
_ACTIVE_CODE = re.compile(rf"{_MARKUP.pattern}|\][ \t]*+[(:](?!{_USUAL}){_SCHEME}", re.IGNORECASE)
# The middle of a link, whose destination may begin outside of the code.
_LINK_MIDDLE = re.compile(r"\][ \t]*+[(:]")
# Code in a line that all parsers recognise, if a paragraph has no other backticks. Some viewers
# regard a backtick directly after a URL as a part of it.
_SIMPLE_CODE = re.compile(rb"(?<![\\`])`[^`\n]+`(?!`)")
_SEPARATE_CODE = re.compile(rb"(?<![^\s(*_|>])`[^`\n]+`(?!`)")
_URL_SIGN = re.compile(rb"://|www\.|@")
_PARAGRAPH_END = re.compile(rb"\n[ \t>]*+\n|\Z")
# Characters at the beginning of a line that open or continue lists and quotations.
_LINE_PREFIX_CHARACTERS = " \t>*+.)-0123456789"
# Python-Markdown marks its placeholders with control characters.
_CONTROL_CHARACTERS = re.compile(r"[\x00-\x08\x0e-\x1b\x1f\x7f]")
# Characters at which only some viewers begin a new line.
_UNUSUAL_LINE_ENDS = re.compile("[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
# Blanks before which markdown2 does not end an indented block at the start of a line.
_UNUSUAL_INDENT = re.compile(r"^[ \t]*+[^\S \t\n][^\S\n]*+", re.MULTILINE)
# Code blocks are replaced by these noncharacters and a number while the other text is escaped.
_PLACEHOLDER = re.compile("\ufdd0(\\d+)\ufdd1")
_NONCHARACTERS = re.compile("[\ufdd0\ufdd1]")
_LABEL = re.compile(r"[\w+#.-]{1,20}", re.ASCII)
_NO_LANGUAGE = "text"
# White space in Markdown; `rstrip()` without this argument would remove more characters.
BLANK_CHARACTERS = " \t\n"
_FENCE = re.compile(rb"`{3,}|~{3,}")


def embed_markdown(text: str) -> str:
    """Return Markdown that can be inserted into an exported document.

    HTML, images and links with unusual destinations are escaped for any viewer, headings are
    lowered, and an open code fence is closed.
    """
    return _close_code_fence(lower_headings(escape_markup(_normalize(text))))


def embed_inline(text: str) -> str:
    """Return a text of one line, such as a title or a name, without HTML and images."""
    heading_prefix = "# "
    line = _UNUSUAL_LINE_ENDS.sub(" ", _CONTROL_CHARACTERS.sub("", text))
    return escape_markup(f"{heading_prefix}{line}").removeprefix(heading_prefix)


def quote_markdown(text: str) -> str:
    """Return a text as a quotation without HTML and images."""
    lines = escape_markup(_normalize(text)).splitlines()
    return "\n".join(f"> {line}".rstrip() for line in lines)


def _normalize(text: str) -> str:
    plain_text = _CONTROL_CHARACTERS.sub("", normalize_line_ends(text))
    return _UNUSUAL_LINE_ENDS.sub("\n", plain_text)


def escape_markup(text: str) -> str:
    """Escape HTML outside of code, turn images into links, and other unusual links into text.

    Code that some viewers would read as HTML or links gets a form that all know.
    """
    text, blocks = _take_active_code(_NONCHARACTERS.sub("", text))
    text = _escape_markup(text)
    if blocks:
        text = _UNUSUAL_INDENT.sub("", text)
    return _PLACEHOLDER.sub(lambda match: _portable_code(blocks[int(match[1])]), text)


def _escape_markup(text: str) -> str:
    for _ in range(MAX_ESCAPE_PASSES):
        if not _ACTIVE.search(text):
            return text
        escaped_text = text
        for options in _DIALECTS:
            escaped_text = _escape_outside_code(escaped_text, options)
        if escaped_text == text:
            return text
        # The parser may now recognise HTML in the text after the escaped HTML.
        text = escaped_text
    return _escape_all(text)


class _CodeBlock(NamedTuple):
    """A block of code. `info` is the text after the opening fence; None for indented code."""

    start: int
    end: int
    info: str | None
    code: str


def _code_blocks(text: str) -> Iterator[_CodeBlock]:
    info: str | None = None
    code: list[str] | None = None
    for event, span in pyromark.events_with_range(text, options=MARKDOWN_OPTIONS):
        name, value = _name_and_value(event)
        if _starts(event, "CodeBlock"):
            code, kind = [], value["CodeBlock"]
            info = kind["Fenced"] if isinstance(kind, dict) else None
        elif code is not None and name == "Text":
            code.append(value)
        elif code is not None:
            yield _CodeBlock(span["start"], span["end"], info, "".join(code))
            code = None


def _name_and_value(event: Any) -> tuple[str, Any]:
    """Return the name of an event or a tag of pyromark, and its value, if it has one."""
    return next(iter(event.items())) if isinstance(event, dict) else (event, None)


def _take_active_code(text: str) -> tuple[str, list[_CodeBlock]]:
    """Replace the code blocks that some viewers would read as HTML or links by placeholders."""
    if not _ACTIVE_CODE.search(text):
        return text, []
    source = text.encode()
    parts: list[str] = []
    blocks: list[_CodeBlock] = []
    end = 0
    for block in _code_blocks(text):
        if _ACTIVE_CODE.search(block.code):
            # Without its first line, a list or a quotation does not continue with this code.
            before = source[end : block.start].decode().rstrip(_LINE_PREFIX_CHARACTERS)
            parts.append(f"{before}\n\n\ufdd0{len(blocks)}\ufdd1\n\n")
            blocks.append(block)
            end = block.end
    return "".join([*parts, source[end:].decode()]), blocks


def _portable_code(block: _CodeBlock) -> str:
    """Return code as an indented block, after a paragraph that names its language.

    Only this form is code in all viewers: some know no fences, and some read indented text after a
    list as a paragraph.
    """
    label = _LABEL.match(block.info or "")
    lines = [f"    {line}" if line.strip() else "" for line in block.code.split("\n")]
    code = "\n".join(lines).strip("\n")
    return f"`{label[0] if label else _NO_LANGUAGE}`\n\n{code}"


def _escape_outside_code(text: str, options: pyromark.Options) -> str:
    source = text.encode()
    parts: list[str] = []
    end = 0
    simple_code_starts = _simple_code_starts(source)
    for event, span in pyromark.events_with_range(text, options=options):
        if not isinstance(event, dict) or span["start"] < end:
            continue
        part = source[span["start"] : span["end"]].decode()
        is_simple = "Code" in event and span["start"] in simple_code_starts
        if is_simple or _is_code_for_all_parsers(event, part):
            replacement = part
        elif "InlineMath" in event or "DisplayMath" in event:
            replacement = _escape_all(part, less_than=r"\lt ")
        elif _is_html(event):
            replacement = _escape_all(part.replace("&", "&amp;"))
        elif _starts(event, "Image"):
            replacement, span["end"] = "", span["start"] + len("!")
        else:
            continue
        parts += [_escape_all(source[end : span["start"]].decode()), replacement]
        end = span["end"]
    return "".join([*parts, _escape_all(source[end:].decode())])


def _simple_code_starts(source: bytes) -> set[int]:
    """Return where the code spans start that all parsers recognise."""
    starts: set[int] = set()
    start = 0
    for paragraph_end in _PARAGRAPH_END.finditer(source):
        paragraph = source[start : paragraph_end.start()]
        simple_code = _SEPARATE_CODE if _URL_SIGN.search(paragraph) else _SIMPLE_CODE
        if b"`" not in simple_code.sub(b"", paragraph):
            starts.update(start + code.start() for code in simple_code.finditer(paragraph))
        start = paragraph_end.start()
    return starts


def _is_code_for_all_parsers(event: Mapping[str, Any], part: str) -> bool:
    """Return whether an event is code for every Markdown parser.

    Parsers disagree about indented code, code spans of several lines, and fences whose first line
    contains "|", as in a table. Some parsers know no fences.
    """
    if "Code" in event:
        return not ("\n" in part or _ACTIVE_CODE.search(part) or _LINK_MIDDLE.search(part))
    if not _starts(event, "CodeBlock") or _ACTIVE_CODE.search(part):
        return False
    block: str | dict[str, str] = event["Start"]["CodeBlock"]
    return isinstance(block, dict) and "|" not in block["Fenced"]


def _escape_all(text: str, less_than: str = _ENTITIES["<"]) -> str:
    def escape(match: re.Match[str]) -> str:
        backslashes, sign = match[1], match[2]
        entity = less_than if sign == "<" else _ENTITIES[sign]
        return f"{backslashes[len(backslashes) % 2 :]}{entity}"

    def escape_link(match: re.Match[str]) -> str:
        return f"{match[1][len(match[1]) % 2 :]}&#93;"

    text = _LINK.sub(escape_link, _MARKUP.sub(escape, text))
    return _DEFINITION.sub(r"\1&#91;", text)


def _starts(event: object, name: str) -> bool:
    """Return whether an event of pyromark is the start of an element."""
    start_tag = event.get("Start") if isinstance(event, dict) else None
    return isinstance(start_tag, dict) and name in start_tag


def _close_code_fence(text: str) -> str:
    """Close an open code fence; one inside a list or a quotation ends with its container."""
    source = text.encode()
    if not _FENCE.search(source) or _ends_at_top_level(text):
        return text
    open_fences = [
        fence[0].decode()
        for event, span in pyromark.events_with_range(text, options=MARKDOWN_OPTIONS)
        if _starts(event, "CodeBlock") and (fence := _FENCE.match(source, span["start"]))
    ]
    return f"{text.rstrip(BLANK_CHARACTERS)}\n{open_fences[-1]}" if open_fences else text


def _ends_at_top_level(text: str) -> bool:
    """Return whether a heading that follows the text is outside code, lists and quotations."""
    padded_text = f"{text.rstrip(BLANK_CHARACTERS)}\n\n"
    heading_start = len(padded_text.encode())
    depth = 0
    for event, span in pyromark.events_with_range(
        f"{padded_text}# Next\n", options=MARKDOWN_OPTIONS
    ):
        if isinstance(event, dict):
            if _starts(event, "Heading") and span["start"] == heading_start:
                return depth == 0
            depth += ("Start" in event) - ("End" in event)
    return False


MAX_HEADING_LEVEL = 6


HEADING_LEVEL_OFFSET = 2


def lower_headings(text: str) -> str:
    """Lower the headings of a text by two levels, below the headings of the export.

    Lines inside code that look like headings stay unchanged.
    """
    source = text.replace("\r\n", "\n").replace("\r", "\n").encode()
    parts: list[bytes] = []
    end = 0
    for event, span in pyromark.events_with_range(source.decode(), options=MARKDOWN_OPTIONS):
        level = _lowered_level(event)
        if not level:
            continue
        heading = source[span["start"] : span["end"]].decode().rstrip()
        heading_text = _atx_text(heading.partition("\n")[0])
        if heading_text is None:
            # A setext heading may span several lines. In a quotation, each line begins with ">".
            heading_text = " ".join(
                line.lstrip(" \t>").rstrip() for line in heading.split("\n")[:-1]
            )
        parts += [source[end : span["start"]], f"{'#' * level} {heading_text}\n".encode()]
        end = span["end"]
    return b"".join([*parts, source[end:]]).decode()


def _atx_text(line: str) -> str | None:
    """Return the text of a heading that begins with "#", or None (CommonMark 4.2)."""
    rest = line.lstrip("#")
    if rest == line or rest[:1].strip(" \t"):
        return None
    text = rest.strip(" \t")
    without_closing = text.rstrip("#")
    is_closed = without_closing != text and not without_closing[-1:].strip(" \t")
    return without_closing.rstrip(" \t") if is_closed else text


def _lowered_level(event: object) -> int:
    start_tag = event.get("Start") if isinstance(event, dict) else None
    heading = start_tag.get("Heading") if isinstance(start_tag, dict) else None
    return (
        min(MAX_HEADING_LEVEL, int(str(heading["level"]).removeprefix("H")) + HEADING_LEVEL_OFFSET)
        if heading
        else 0
    )


def _is_html(event: Any) -> bool:
    """Return whether an event of pyromark is raw HTML."""
    return isinstance(event, dict) and ("Html" in event or "InlineHtml" in event)
