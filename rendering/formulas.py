"""Formulas: LaTeX between dollars, or in \\(…\\) and \\[…\\] → MathML, which browsers draw."""

from __future__ import annotations

import html
import re
from functools import lru_cache
from typing import NamedTuple

import pyromark
from latex2mathml.converter import convert

MAX_LENGTH = 1_000
LONG = 60
# Of one formula in MathML, which is thirty times as long as LaTeX, or more.
MAX_BYTES = 32 * 1024
# In one reply; a short one costs a tenth of a millisecond. What is beyond is shown as written.
MOST = 1_000
MOST_MATHML = 500_000
# What is no formula after all costs as much work as one of so many.
FAILURE = 10_000
CODE = pyromark.Options.ENABLE_TABLES

TAGS = {
    *("math", "menclose", "mfrac", "mi", "mn", "mo", "mover", "mpadded", "mphantom", "mroot"),
    *("mrow", "mspace", "msqrt", "mstyle", "msub", "msubsup", "msup", "mtable", "mtd", "mtext"),
    *("mtr", "munder", "munderover"),
}
ATTRIBUTES = {
    "math": {"display", "alttext"},
    "menclose": {"notation"},
    "mfrac": {"linethickness"},
    "mi": {"mathvariant"},
    "mo": {"stretchy", "fence", "form", "separator", "accent", "largeop", "movablelimits"},
    "mover": {"accent"},
    "mspace": {"width"},
    "mstyle": {"displaystyle", "scriptlevel"},
    "mtable": {"columnalign"},
    "mtd": {"columnalign"},
    "munder": {"accentunder"},
}

_DRAWN = re.compile(r"<math\b.*?</math>", re.DOTALL)
_FAILED = re.compile(r"<code>\$[^<]*\$</code>")
_SPAN = re.compile(r'<span class="math math-(inline|display)">(.*?)</span>(?=(\d?))', re.DOTALL)
_MARK = re.compile(r"\\[()\[\]]|[$\n]")
_FRACTION = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
# What belongs to no fraction that waits for its parts to be said.
_GROUP = re.compile(r"(?<!frac)(?<!\})\{([^{}]*)\}")
_GAP = re.compile(r"(frac|\})\s+(?=\{)")
# Sizes, spaces and kinds of letters: seen, but not said.
_SIZES = re.compile(
    r"\\(?:left|right|q?quad|text\w*|[fhm]box|math\w+|operatorname)\b|\\[,;:!>~ \\]|&"
    r"|\\(?:begin|end)\s*\{[^{}]*\}"
)
_TEXT = re.compile(
    r"(?<!\\)(?:\\\\)*\\(?:text(?:bf|it|md|normal|rm|sf|tt|up)?|[fhm]box)\s*\{[^{}]*\}"
)
_COMMAND = re.compile(r"\\([a-zA-Z]*)")
_BRACES = str.maketrans("{}", "()")
# Of fractions and braces within each other so many are told apart.
_LAYERS = 4
_BLANK_LINE = re.compile(r"\n[ \t]*\n")


def with_dollars(text: str) -> str:
    r"""Write \(…\) and \[…\] with dollars, as Markdown with formulas has them, outside of code."""
    if "\\(" not in text and "\\[" not in text:
        return text
    if "`" not in text and "    " not in text and "~~~" not in text and "\t" not in text:
        return _bracketed(text)
    source = text.encode()
    parts: list[str] = []
    end = 0
    for start, stop in _code(text):
        parts.append(_bracketed(source[end:start].decode()))
        parts.append(source[start:stop].decode())
        end = stop
    parts.append(_bracketed(source[end:].decode()))
    return "".join(parts)


def _code(text: str) -> list[tuple[int, int]]:
    found = []
    for event, place in pyromark.events_with_range(text, options=CODE):
        if not isinstance(event, dict):
            continue
        started = event.get("Start")
        if "Code" in event or (isinstance(started, dict) and "CodeBlock" in started):
            found.append((place["start"], place["end"]))
    return found


def _bracketed(text: str) -> str:
    """Pair the brackets in one pass: an expression would look for the end of each to the end."""
    parts: list[str] = []
    end = 0
    begun: dict[str, int] = {}
    for mark in _MARK.finditer(text):
        match mark[0]:
            case "\\(" | "\\[":
                begun.setdefault(mark[0], mark.end())
            case "\n":
                begun.pop("\\(", None)
            case "$":
                begun.clear()
            case ending if (start := begun.get("\\(" if ending == "\\)" else "\\[")) is not None:
                if formula := _dollars(text[start : mark.start()], display=ending == "\\]"):
                    parts += text[end : start - 2], formula
                    end = mark.end()
                begun.clear()
    return "".join(parts) + text[end:]


def _dollars(latex: str, *, display: bool) -> str:
    # A blank line would end the paragraph, and the formula with it.
    if display:
        return f"$${latex}$$" if latex and not _BLANK_LINE.search(latex) else ""
    formula = latex.strip()
    # "\( and \)" is about brackets.
    is_prose = formula != latex and (
        (len(formula) > 1 and formula.isalpha()) or formula.endswith("\\")
    )
    return f"${formula}$" if formula and not is_prose else ""


class Room(NamedTuple):
    """How many formulas may be drawn, and how many characters of MathML they may come to."""

    formulas: int = MOST
    characters: int = MOST_MATHML

    def without(self, rendered: str) -> Room:
        """Return what is left beside those that are drawn in HTML."""
        drawn = [formula.end() - formula.start() for formula in _DRAWN.finditer(rendered)]
        drawn += [FAILURE] * len(_FAILED.findall(rendered))
        return Room(self.formulas - len(drawn), self.characters - sum(drawn))


def mathml(rendered: str, room: Room) -> str:
    """Put MathML in the place of the first formulas of pyromark's HTML. It is not safe yet."""

    def drawn(found: re.Match[str]) -> str:
        nonlocal room
        display, latex, digit_follows = found[1] == "display", found[2], found[3]
        if digit_follows and not display:
            return f"${latex}$"  # "$5-$10" is about money
        math = ""
        if min(room) > 0:
            plain = html.unescape(latex)
            # Within a line it could not be wider than that; by itself it scrolls.
            by_itself = display or len(plain) > LONG
            math = _converted(plain, "block" if by_itself else "inline").decode()
            room = Room(room.formulas - 1, room.characters - (len(math) or FAILURE))
        mark = "$$" if display else "$"
        return math or f"<code>{mark}{latex}{mark}</code>"

    return _SPAN.sub(drawn, rendered)


def _spoken(latex: str) -> str:
    """Write a formula much as one would say it: "(a)/(b)" for a fraction, names for signs."""
    latex = _SIZES.sub(" ", latex)
    for _ in range(_LAYERS):
        latex = _GAP.sub(r"\1", latex)
        latex = _GROUP.sub(r"(\1)", _FRACTION.sub(r"(\1)/(\2)", latex))
    named = _COMMAND.sub(r" \1 ", latex).translate(_BRACES)
    return " ".join(named.split())


# A block that goes on is rendered again and again: all its formulas must have room. As bytes, for
# a sign beyond the first planes would make a string four times as large.
@lru_cache(2 * MOST)
def _converted(latex: str, display: str) -> bytes:
    """Return MathML, or nothing for what is no LaTeX that can be drawn."""
    if len(latex) > MAX_LENGTH:
        return b""
    # What is between the braces of \text is not escaped there, and knows no commands.
    source = _TEXT.sub(lambda text: html.escape(html.unescape(text[0]), quote=False), latex)
    try:
        math = convert(source.replace("<", r"\lt ").replace(">", r"\gt "), display=display)
    except Exception:  # noqa: BLE001 - half a formula raises nearly anything
        return b""
    # What is spoken where MathML is not.
    spoken = f'display="{display}" alttext="{html.escape(_spoken(latex))}"'
    drawn = math.replace(f'display="{display}"', spoken, 1).encode()
    return drawn if len(drawn) <= MAX_BYTES else b""
