"""Formulas: LaTeX between dollars, or in \\(…\\) and \\[…\\] → MathML, which browsers draw."""

from __future__ import annotations

import html
import re
from functools import lru_cache
from typing import NamedTuple

import pyromark
from latex2mathml.converter import convert

MAX_LENGTH = 1_000
MAX_INLINE_LENGTH = 60
# Of one formula in MathML, which is thirty times as long as LaTeX, or more.
MAX_MATHML_BYTES = 32 * 1024
# In one reply; a short one costs a tenth of a millisecond. What is beyond is shown as written.
MAX_FORMULAS = 1_000
MAX_MATHML_LENGTH = 500_000
# What is no formula after all costs as much work as one of so many.
FAILURE_COST = 10_000
CODE_OPTIONS = pyromark.Options.ENABLE_TABLES

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

_MATH_ELEMENT = re.compile(r"<math\b.*?</math>", re.DOTALL)
_UNCONVERTED_FORMULA = re.compile(r"<code>\$[^<]*\$</code>")
_MATH_SPAN = re.compile(
    r'<span class="math math-(inline|display)">(.*?)</span>(?=(\d?))', re.DOTALL
)
_DELIMITER = re.compile(r"\\[()\[\]]|[$\n]")
_FRACTION = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
# What belongs to no fraction that waits for its parts to be said.
_GROUP = re.compile(r"(?<!frac)(?<!\})\{([^{}]*)\}")
_SPACE_BEFORE_GROUP = re.compile(r"(frac|\})\s+(?=\{)")
# Sizes, spaces and kinds of letters: seen, but not said.
_LAYOUT_COMMANDS = re.compile(
    r"\\(?:left|right|q?quad|text\w*|[fhm]box|math\w+|operatorname)\b|\\[,;:!>~ \\]|&"
    r"|\\(?:begin|end)\s*\{[^{}]*\}"
)
_TEXT_COMMAND = re.compile(
    r"(?<!\\)(?:\\\\)*\\(?:text(?:bf|it|md|normal|rm|sf|tt|up)?|[fhm]box)\s*\{[^{}]*\}"
)
_COMMAND = re.compile(r"\\([a-zA-Z]*)")
_BRACES_TO_PARENTHESES = str.maketrans("{}", "()")
# Of fractions and braces within each other so many are told apart.
_MAX_NESTING = 4
_BLANK_LINE = re.compile(r"\n[ \t]*\n")


def brackets_to_dollars(text: str) -> str:
    r"""Write \(…\) and \[…\] with dollars, as Markdown with formulas has them, outside of code."""
    if "\\(" not in text and "\\[" not in text:
        return text
    if "`" not in text and "    " not in text and "~~~" not in text and "\t" not in text:
        return _replace_brackets(text)
    source = text.encode()
    parts: list[str] = []
    end = 0
    for start, stop in _code_spans(text):
        parts.append(_replace_brackets(source[end:start].decode()))
        parts.append(source[start:stop].decode())
        end = stop
    parts.append(_replace_brackets(source[end:].decode()))
    return "".join(parts)


def _code_spans(text: str) -> list[tuple[int, int]]:
    spans = []
    for event, span in pyromark.events_with_range(text, options=CODE_OPTIONS):
        if not isinstance(event, dict):
            continue
        start_tag = event.get("Start")
        if "Code" in event or (isinstance(start_tag, dict) and "CodeBlock" in start_tag):
            spans.append((span["start"], span["end"]))
    return spans


def _replace_brackets(text: str) -> str:
    """Pair the brackets in one pass: an expression would look for the end of each to the end."""
    parts: list[str] = []
    end = 0
    open_brackets: dict[str, int] = {}
    for delimiter in _DELIMITER.finditer(text):
        match delimiter[0]:
            case "\\(" | "\\[":
                open_brackets.setdefault(delimiter[0], delimiter.end())
            case "\n":
                open_brackets.pop("\\(", None)
            case "$":
                open_brackets.clear()
            case closing if (
                start := open_brackets.get("\\(" if closing == "\\)" else "\\[")
            ) is not None:
                if formula := _dollar_formula(
                    text[start : delimiter.start()], is_display=closing == "\\]"
                ):
                    parts += text[end : start - 2], formula
                    end = delimiter.end()
                open_brackets.clear()
    return "".join(parts) + text[end:]


def _dollar_formula(latex: str, *, is_display: bool) -> str:
    # A blank line would end the paragraph, and the formula with it.
    if is_display:
        return f"$${latex}$$" if latex and not _BLANK_LINE.search(latex) else ""
    formula = latex.strip()
    # "\( and \)" is about brackets.
    is_prose = formula != latex and (
        (len(formula) > 1 and formula.isalpha()) or formula.endswith("\\")
    )
    return f"${formula}$" if formula and not is_prose else ""


class MathBudget(NamedTuple):
    """How many formulas may be drawn, and how many characters of MathML they may come to."""

    formulas: int = MAX_FORMULAS
    characters: int = MAX_MATHML_LENGTH

    def subtract(self, rendered_html: str) -> MathBudget:
        """Return what is left beside those that are drawn in HTML."""
        costs = [
            formula.end() - formula.start() for formula in _MATH_ELEMENT.finditer(rendered_html)
        ]
        costs += [FAILURE_COST] * len(_UNCONVERTED_FORMULA.findall(rendered_html))
        return MathBudget(self.formulas - len(costs), self.characters - sum(costs))


def insert_mathml(rendered_html: str, budget: MathBudget) -> str:
    """Put MathML in the place of the first formulas of pyromark's HTML. It is not safe yet."""

    def convert_span(match: re.Match[str]) -> str:
        nonlocal budget
        is_display, latex, digit_follows = match[1] == "display", match[2], match[3]
        if digit_follows and not is_display:
            return f"${latex}$"  # "$5-$10" is about money
        math = ""
        if min(budget) > 0:
            unescaped_latex = html.unescape(latex)
            # Within a line it could not be wider than that; by itself it scrolls.
            is_block = is_display or len(unescaped_latex) > MAX_INLINE_LENGTH
            math = _convert_to_mathml(unescaped_latex, "block" if is_block else "inline").decode()
            budget = MathBudget(
                budget.formulas - 1, budget.characters - (len(math) or FAILURE_COST)
            )
        delimiter = "$$" if is_display else "$"
        return math or f"<code>{delimiter}{latex}{delimiter}</code>"

    return _MATH_SPAN.sub(convert_span, rendered_html)


def _alt_text(latex: str) -> str:
    """Write a formula much as one would say it: "(a)/(b)" for a fraction, names for signs."""
    latex = _LAYOUT_COMMANDS.sub(" ", latex)
    for _ in range(_MAX_NESTING):
        latex = _SPACE_BEFORE_GROUP.sub(r"\1", latex)
        latex = _GROUP.sub(r"(\1)", _FRACTION.sub(r"(\1)/(\2)", latex))
    text = _COMMAND.sub(r" \1 ", latex).translate(_BRACES_TO_PARENTHESES)
    return " ".join(text.split())


# A block that goes on is rendered again and again: all its formulas must have room. As bytes, for
# a sign beyond the first planes would make a string four times as large.
@lru_cache(2 * MAX_FORMULAS)
def _convert_to_mathml(latex: str, display: str) -> bytes:
    """Return MathML, or nothing for what is no LaTeX that can be drawn."""
    if len(latex) > MAX_LENGTH:
        return b""
    # What is between the braces of \text is not escaped there, and knows no commands.
    source = _TEXT_COMMAND.sub(lambda text: html.escape(html.unescape(text[0]), quote=False), latex)
    try:
        math = convert(source.replace("<", r"\lt ").replace(">", r"\gt "), display=display)
    except Exception:  # noqa: BLE001 - half a formula raises nearly anything
        return b""
    # What is spoken where MathML is not.
    attributes = f'display="{display}" alttext="{html.escape(_alt_text(latex))}"'
    encoded = math.replace(f'display="{display}"', attributes, 1).encode()
    return encoded if len(encoded) <= MAX_MATHML_BYTES else b""
