"""Formulas become MathML, other text stays text, and no formula adds active content."""

from bs4 import BeautifulSoup

from tests.support.stream_reader import render_running
from twindow.rendering.formulas import (
    ATTRIBUTES,
    FAILURE_COST,
    MAX_TOTAL_MATHML_CHARACTERS,
    TAGS,
)
from twindow.rendering.render import render


def test_formulas_are_rendered_as_mathml():
    for text in ("$x^2$", "\\(x^2\\)", "\\( x^2 \\)", "$$x^2$$", "\\[\nx^2\n\\]"):
        html = render(text)
        assert "<msup><mi>x</mi><mn>2</mn></msup>" in html, text
        assert ('display="block"' in html) is (text[:2] in ("$$", "\\[")), text


SPOKEN = [
    (r'\frac{n(n+1)}{\frac{1}{2}} < \text{"c"}', '(n(n+1))/((1)/(2)) < ("c")'),
    (r"\int_0^1 x^2\,dx\quad a\! b\;c", "int _0^1 x^2 dx a b c"),
    (r"\sum_{i=1}^n i \le \alpha", "sum _(i=1)^n i le alpha"),
    (r"a \, \frac", None),
    (r"\frac{-b \pm \sqrt{b^2}}{x^{2}}", "(-b pm sqrt (b^2))/(x^(2))"),
    (r"\left(\begin{matrix}a&b\end{matrix}\right)", "( a b )"),
    (r"x \text{if} y", "x (if) y"),
    (r"x \mbox{if} y", "x (if) y"),
]


def test_formulas_have_alternative_text_for_screen_readers():
    found = []
    for latex, _ in SPOKEN:
        math = BeautifulSoup(render(f"${latex}$"), "html.parser").select_one("math")
        found.append((latex, math and math["alttext"]))

    assert found == SPOKEN


def test_text_in_formulas_keeps_special_characters():
    rows = r"\begin{cases}1&\text{if a < b > c & d}\\\text{if a < b > c & d}&2\end{cases}"
    kinds = [f"\\{kind}{{if a < b > c & d}} < x" for kind in ("text", "textbf", "mbox", "hbox")]
    words = [
        word.get_text().replace("\u00a0", " ")
        for latex in [*kinds, rows]
        for word in BeautifulSoup(render(f"${latex}$"), "html.parser").select("mtext")
    ]

    assert words == ["if a < b > c & d"] * 6


HOSTILE = [
    "\\text{<script>alert(1)</script>}",
    "\\text{</mtext></math><h1>BIG</h1><sup>1</sup><div>}",
    "\\href{javascript:alert(1)}{x}",
    "\\style{color:red}{x}",
    "\\class{x}{y}",
    "\\unicode{x3c}img src=x onerror=alert(1)>",
    "\\text{<hx-partial hx-target='#main'>}",
    "\\text{<img src=x onerror=alert(1)>}",
]


def test_formulas_contain_only_allowed_tags_and_attributes():
    wrong = [
        (latex, str(tag))
        for latex in HOSTILE
        for tag in BeautifulSoup(render(f"${latex}$"), "html.parser").select("*")
        if tag.name not in {"p", "code", "bdi"} | TAGS
        or not tag.attrs.keys() <= ATTRIBUTES.get(tag.name, {"class", "tabindex"})
    ]

    assert wrong == []


def test_unclosed_formula_marks_are_text():
    for begun in ("\\(", "\\[", "$", "$$", "$a "):
        text = begun * (100_000 // len(begun))
        assert "<math" not in render(text), begun
        assert "<math" not in render(f"{begun}\n\n{text}"), begun


def test_failed_formulas_use_up_the_formula_budget():
    broken = [
        f"${number}{'^' * 200}$" for number in range(MAX_TOTAL_MATHML_CHARACTERS // FAILURE_COST)
    ]
    for between in (" ", "\n\n"):
        for failures, drawn in ((len(broken) - 1, 1), (len(broken), 0)):
            text = between.join([*broken[:failures], "$x$"])
            assert render(text).count("<math") == drawn
            assert render_running([f"{text}\n\nEnd"]).count("<math") == drawn
