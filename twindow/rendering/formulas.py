"""Formulas: LaTeX between dollars, or in \\(…\\) and \\[…\\], is converted to MathML."""

from __future__ import annotations

import html
import re
from functools import lru_cache
from typing import NamedTuple

from latex2mathml.converter import convert

from twindow.rendering.latex import known_latex, visible_length

MAX_FORMULA_CHARACTERS = 1_000
# In visible symbols: what fits into a line on a phone.
MAX_INLINE_LENGTH = 36
# Maximum size of the MathML of one formula; it is at least thirty times as long as the LaTeX.
MAX_MATHML_BYTES = 32 * 1024
# Limits for one reply; further formulas are shown as source. The conversion of a short formula
# takes a tenth of a millisecond.
MAX_FORMULAS = 1_000
MAX_TOTAL_MATHML_CHARACTERS = 500_000
# A failed conversion also takes time, so it counts as `FAILURE_COST` characters of MathML.
FAILURE_COST = 10_000

_TOKEN_TAGS = {"mi", "mn", "mo", "mspace", "mtext"}
_LAYOUT_TAGS = {"menclose", "mfrac", "mpadded", "mphantom", "mroot", "mrow", "msqrt", "mstyle"}
_SCRIPT_TAGS = {"mover", "msub", "msubsup", "msup", "munder", "munderover"}
_TABLE_TAGS = {"mtable", "mtd", "mtr"}
TAGS = {"math"} | _TOKEN_TAGS | _LAYOUT_TAGS | _SCRIPT_TAGS | _TABLE_TAGS
ATTRIBUTES = {
    "math": {"display", "alttext"},
    "menclose": {"notation"},
    "mfrac": {"linethickness"},
    "mi": {"mathvariant"},
    "mo": {"stretchy", "fence", "form", "separator", "accent", "largeop", "movablelimits"},
    "mover": {"accent"},
    "mspace": {"width"},
    "mstyle": {"displaystyle", "scriptlevel"},
    "mtable": {"columnalign", "columnlines", "rowlines"},
    "mtd": {"columnalign"},
    "munder": {"accentunder"},
}

_MATH_ELEMENT = re.compile(r"<math\b.*?</math>", re.DOTALL)
_UNCONVERTED_FORMULA = re.compile(r"<code>\$[^<]*\$</code>")
_MATH = re.compile(
    r'<span data-math-style="(inline|display)">(.*?)</span>'
    r'|<pre><code class="language-math" data-math-style="display">(.*?)</code></pre>',
    re.DOTALL,
)
_FRACTION = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
# A group in braces that is not an argument of \frac.
_GROUP = re.compile(r"(?<!frac)(?<!\})\{([^{}]*)\}")
_SPACE_BEFORE_GROUP = re.compile(r"(frac|\})\s+(?=\{)")
# Commands for sizes, spaces, fonts and alignment, which are not spoken.
_LAYOUT_COMMANDS = re.compile(
    r"\\(?:left|right|q?quad|text\w*|[fhm]box|math\w+|operatorname)\b|\\[,;:!>~ \\]|&"
    r"|\\(?:begin|end)\s*\{[^{}]*\}"
)
_COMMAND = re.compile(r"\\([a-zA-Z]*)")
_BRACES_TO_PARENTHESES = str.maketrans("{}", "()")
# Maximum depth of nested fractions and groups that `_alt_text` replaces.
_MAX_NESTING = 4


class MathBudget(NamedTuple):
    """The number of formulas, and of MathML characters, that a reply may still contain."""

    formulas: int = MAX_FORMULAS
    characters: int = MAX_TOTAL_MATHML_CHARACTERS

    def subtract(self, rendered_html: str) -> MathBudget:
        """Return the formula budget that is left after the formulas in `rendered_html`."""
        costs = [*map(len, _MATH_ELEMENT.findall(rendered_html))]
        costs += [FAILURE_COST] * len(_UNCONVERTED_FORMULA.findall(rendered_html))
        return MathBudget(self.formulas - len(costs), self.characters - sum(costs))


def insert_mathml(parser_html: str, budget: MathBudget) -> str:
    """Replace the formulas in the parser's HTML by MathML, as far as the budget allows.

    The result is not sanitised yet.
    """

    def convert_span(match: re.Match[str]) -> str:
        nonlocal budget
        is_display, latex = match[1] != "inline", match[2] or match[3] or ""
        math = ""
        if min(budget) > 0:
            unescaped_latex = html.unescape(latex)
            # A wide formula becomes a block, because blocks scroll.
            is_block = is_display or visible_length(unescaped_latex) > MAX_INLINE_LENGTH
            math = _convert_to_mathml(unescaped_latex, "block" if is_block else "inline").decode()
            budget = MathBudget(
                budget.formulas - 1, budget.characters - (len(math) or FAILURE_COST)
            )
        delimiter = "$$" if is_display else "$"
        return math or f"<code>{delimiter}{latex}{delimiter}</code>"

    return _MATH.sub(convert_span, parser_html)


def _alt_text(latex: str) -> str:
    """Return a formula roughly as it is spoken: "(a)/(b)" for a fraction, names for symbols."""
    latex = _LAYOUT_COMMANDS.sub(" ", latex)
    for _ in range(_MAX_NESTING):
        latex = _SPACE_BEFORE_GROUP.sub(r"\1", latex)
        latex = _GROUP.sub(r"(\1)", _FRACTION.sub(r"(\1)/(\2)", latex))
    text = _COMMAND.sub(r" \1 ", latex).translate(_BRACES_TO_PARENTHESES)
    return " ".join(text.split())


# An open block is rendered repeatedly, so the cache must hold all its formulas. Values are bytes,
# because one character beyond the BMP would make a str four times as large.
@lru_cache(2 * MAX_FORMULAS)
def _convert_to_mathml(latex: str, display: str) -> bytes:
    """Return MathML, or b"" if the conversion fails or a length limit is exceeded."""
    if len(latex) > MAX_FORMULA_CHARACTERS:
        return b""
    try:
        math = convert(known_latex(latex, is_display=display == "block"), display=display)
    except Exception:  # noqa: BLE001 - half a formula raises nearly anything
        return b""
    # The alttext is spoken where MathML is not supported.
    attributes = f'display="{display}" alttext="{html.escape(_alt_text(latex))}"'
    encoded = math.replace(f'display="{display}"', attributes, 1).encode()
    return encoded if len(encoded) <= MAX_MATHML_BYTES else b""
