"""LaTeX in the words that latex2mathml knows."""

from __future__ import annotations

import html
import re

_TEXT_COMMAND = re.compile(
    r"(?<!\\)(?:\\\\)*\\(?:text(?:bf|it|md|normal|rm|sf|tt|up)?|[fhm]box)\s*\{[^{}]*\}"
)
# latex2mathml puts the rows of these environments into one line, or numbers them. Arrays with the
# same alignment replace them.
_ALIGNED, _CENTERED = "rl" * 6, "c" * 6
_ARRAYS = {
    **dict.fromkeys(("align", "aligned", "alignat", "alignedat", "flalign", "split"), _ALIGNED),
    **dict.fromkeys(("gather", "gathered", "multline", "equation", "subequations"), _CENTERED),
    "eqnarray": "rcl",
    "IEEEeqnarray": "rcl",
}
_RENAMED = {"dcases": "cases", "smallmatrix": "matrix", "psmallmatrix": "pmatrix"}
_RIGHT_BRACED = ("rcases", "drcases")
ENVIRONMENTS = [*_ARRAYS, *_RENAMED, *_RIGHT_BRACED, "array", "cases", "[bBpvV]?matrix"]
_ENVIRONMENT = re.compile(r"\\(begin|end)\s*\{(\w+)\*?\}((?:\[[^][{}]*\])?(?:\{[^{}]*\})?)")
_NUMBERING = re.compile(r"\\(?:notag|nonumber)\b|\\(?:label|tag)\*?\s*\{[^{}]*\}")
_BRACES = r"\s*\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}"
# Commands that latex2mathml shows as source or as nothing, with the commands that replace them.
_REPLACEMENTS = [
    (re.compile(rf"(?<!\\){pattern}"), replacement)
    for pattern, replacement in (
        (r"\\\\\s*\[-?[\d.]+\s*(?:pt|em|ex|mm|cm|in|mu)\]", r"\\\\"),
        (r"\\(?:newline|cr)\b", r"\\\\"),
        (r"\\(?:nolimits|boldmath|middle)\b", ""),
        (r"\\(?:[bB]igg?)[lrm]?\s*(?=\\[{}|])", ""),
        (r"\\mathop\s*\{\s*\\(?:mathrm|text|rm)\s*\{([\w ]+)\}\s*\}", r"\\operatorname*{\1}"),
        (r"(\\operatorname\*?\s*\{\w+)(?:\\[,;: ]|~)(\w+\})", r"\1 \2"),
        (r"\\(arg|sgn|tr|rank|diag|Var|Cov|erf|lcm|arccot)\b", r"\\operatorname{\1}"),
        (r"\\([RNZQE])\b", r"\\mathbb{\1}"),
        (r"\\setminus\b", r"\\smallsetminus"),
        (r"\\hdots\b", r"\\ldots"),
        (rf"\\abs{_BRACES}", r"\\left|\1\\right|"),
        (rf"\\norm{_BRACES}", r"\\left\\|\1\\right\\|"),
    )
]
_LIMITS = re.compile(r"(?<!\\)\\(lim|max|min|sup|inf)\s*_")
_CHEMISTRY = re.compile(rf"\\ce{_BRACES}")
_CHEMICAL_COUNT = re.compile(r"(?<=[A-Za-z)\]])(\d+)")
_WORD_COMMAND = re.compile(r"\\[A-Za-z]+")
_INVISIBLE = re.compile(r"[{}\s^_&\\]")


def known_latex(latex: str, *, is_display: bool) -> str:
    """Return LaTeX with the environments and commands that latex2mathml knows."""
    source = _NUMBERING.sub("", _ENVIRONMENT.sub(_known_environment, latex))
    if "\\ce" in source:
        source = _CHEMISTRY.sub(_chemical_formula, source)
    for pattern, replacement in _REPLACEMENTS:
        source = pattern.sub(replacement, source)
    if is_display:
        source = _LIMITS.sub(r"\\\1\\limits_", source)
    # latex2mathml does not escape the argument of \text, and does not convert \lt in it.
    source = _TEXT_COMMAND.sub(
        lambda text: html.escape(html.unescape(text[0]), quote=False), source
    )
    return source.replace("<", r"\lt ").replace(">", r"\gt ")


def visible_length(latex: str) -> int:
    """Return roughly how many symbols a formula shows."""
    return len(_INVISIBLE.sub("", _WORD_COMMAND.sub("x", latex)))


def _chemical_formula(match: re.Match[str]) -> str:
    counted = _CHEMICAL_COUNT.sub(r"_{\1}", match[1])
    arrows = counted.replace("<=>", r"\rightleftharpoons ").replace("->", r"\rightarrow ")
    return rf"\mathrm{{{arrows}}}"


def _known_environment(match: re.Match[str]) -> str:
    """Return the beginning or the end of an environment as latex2mathml knows it."""
    command, name, argument = match[1], match[2], match[3]
    is_begin = command == "begin"
    if alignment := _ARRAYS.get(name):
        return rf"\begin{{array}}{{{alignment}}}" if is_begin else r"\end{array}"
    if name in _RIGHT_BRACED:
        return r"\left.\begin{array}{ll}" if is_begin else r"\end{array}\right\}"
    return rf"\{command}{{{_RENAMED.get(name, name)}}}{argument}"
