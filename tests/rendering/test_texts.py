"""Texts as people and models write them. Each group is one kind, with its neighbours."""

from __future__ import annotations

import re

import pytest
from bs4 import BeautifulSoup

from tests.support.stream_reader import render_running, split_text
from twindow.rendering.render import render


def shown(text: str) -> str:
    """Return the HTML of a text without the paragraph around it."""
    return render(text).removeprefix("<p>").removesuffix("</p>")


EMPHASIS = {
    "これは**「重要」**です": "これは<strong>「重要」</strong>です",
    "**注意：**正文": "<strong>注意：</strong>正文",
    "**인공지능(AI)**은": "<strong>인공지능(AI)</strong>은",
    "用**`npm i`**安装": "用<strong><code>npm i</code></strong>安装",
    "**「甲」**と**「乙」**": "<strong>「甲」</strong>と<strong>「乙」</strong>",
    "~~旧价（100元）~~新价": "<del>旧价（100元）</del>新价",
    "これは*強調。*です": "これは<em>強調。</em>です",
    "**“引用”**后": "<strong>“引用”</strong>后",
    "2 * 3 * 4": "2 * 3 * 4",
    "snake_case_name": "snake_case_name",
}
TILDES = {
    "9:00~12:00、13:00~18:00": "9:00~12:00、13:00~18:00",
    "5~10 or 20~30 minutes": "5~10 or 20~30 minutes",
    "H~2~O": "H~2~O",
    "~/x and `~`": "~/x and <code>~</code>",
    "~~old~~ new": "<del>old</del> new",
}
BRACKETS = {
    r"Dear \[Name\]": "Dear [Name]",
    r"See \[1\] and \[2\]": "See [1] and [2]",
    r"\[Your Name\]": "[Your Name]",
    r"grep has \( and \)": "grep has ( and )",
    "`$x$` and `\\(x\\)`": "<code>$x$</code> and <code>\\(x\\)</code>",
    "\\[a\n\nb\\]": "[a</p><p>b]",
    r"\[no link](/x)": "[no link](/x)",
}
PRICES = {
    "**$5** or **$10**": "<strong>$5</strong> or <strong>$10</strong>",
    "~~$20~~ **$10**": "<del>$20</del> <strong>$10</strong>",
    "$5-$10, US$5 to US$10": "$5-$10, US$5 to US$10",
    "I paid $5, she paid 6$.": "I paid $5, she paid 6$.",
    "from $1,000 to $2.5k": "from $1,000 to $2.5k",
    "`$5` and *$6*": "<code>$5</code> and <em>$6</em>",
    "Price: $$ | **Stars:** 4\n$$$ | 5": "Price: $$ | <strong>Stars:</strong> 4<br>$$$ | 5",
    "Cheap ($), moderate ($$), expensive ($$$).": "Cheap ($), moderate ($$), expensive ($$$).",
    "costs $ 5 and $ 6, I have $ and $ too": "costs $ 5 and $ 6, I have $ and $ too",
}
NO_FORMULAS = [
    "Set $HOME:$PATH",
    "100$-200$",
    "$a->b($c)",
    "s/a$/b$/",
    "$MY_VAR:$OTHER_VAR",
    "echo $1 $2",
    "cost is 5$ or 6$",
    "$",
    "a$b$c",
    "C:\\\\$Recycle.Bin and $x",
]
MARKUP = {
    "a<br>b<br/>c<BR />d": "a<br>b<br>c<br>d",
    "H<sub>2</sub>O, x<sup>2</sup>": "H<sub>2</sub>O, x<sup>2</sup>",
    "<kbd>Ctrl</kbd>+<kbd>C</kbd>": "<kbd>Ctrl</kbd>+<kbd>C</kbd>",
    '<br class="x">': '&lt;br class="x"&gt;',
    "<sub onclick=x>2</sub>": "&lt;sub onclick=x&gt;2",
    "`<br>`": "<code>&lt;br&gt;</code>",
    "\\<br>": "&lt;br&gt;",
    "<script>x</script>": "&lt;script&gt;x&lt;/script&gt;",
    "<!-- c -->": "&lt;!-- c --&gt;",
    "if a <b and c> d": "if a &lt;b and c&gt; d",
}
SOURCE = (
    '<a href="https://a.example" rel="noopener noreferrer nofollow" dir="ltr">https://a.example</a>'
)
DEFINITIONS = {
    "[Note]: Important": "[Note]: Important",
    "[Alice]: Hello!\n[Bob]: Hi": "[Alice]: Hello!<br>[Bob]: Hi",
    "[1]: https://a.example": f"[1]: {SOURCE}",
    "[ ]: https://a.example": f"[ ]: {SOURCE}",
    "[a\n- b]: https://a.example": f'[a</p><ul dir="auto"><li>b]: {SOURCE}</li></ul>',
    "[two\nlines]: /x": "[two<br>lines]: /x",
    "[a]: /x\n\n[a]": "[a]: /x</p><p>[a]",
    '> [1]: <https://a.example> "T"': (
        f'<blockquote dir="auto"><p>[1]: {SOURCE} "T"</p></blockquote>'
    ),
    "- [1]: https://a.example\n- [a]: b": (
        f'<ul dir="auto"><li>[1]: {SOURCE}</li><li>[a]: b</li></ul>'
    ),
    "`[a]: b`": "<code>[a]: b</code>",
}
GROUPS = {
    "definitions": DEFINITIONS,
    "emphasis": EMPHASIS,
    "prices": PRICES,
    "tildes": TILDES,
    "brackets": BRACKETS,
    "markup": MARKUP,
}


@pytest.mark.parametrize("group", GROUPS)
def test_text_is_shown_as_people_mean_it(group: str):
    assert {text: shown(text) for text in GROUPS[group]} == GROUPS[group]


def test_running_reply_is_shown_like_the_finished_one():
    texts = [text for group in GROUPS.values() for text in group]
    # A word shows that a dollar begins no formula.
    texts += [f"{text} and so on" for text in NO_FORMULAS]

    assert [render_running(split_text(text, [1])) for text in texts] == [
        render(text) for text in texts
    ]


def test_dollars_of_prices_and_variables_are_no_formulas():
    assert [text for text in NO_FORMULAS if "<math" in render(text)] == []


FORMULAS = [
    "$n$th",
    "$5$",
    "$10^6$",
    "$x$, $y$.",
    "价格是$x$的",
    "($\\alpha$)",
    "costs $5 and $x^2$",
    "$X_{ij}$",
    "$PV = nRT$",
    "$H_0$",
    "$AB$",
    "设 $ x $ 只",
    "$ \\alpha = 30^\\circ $",
]
# The lines of a formula that would begin other blocks.
DISPLAYS = [
    "a\n=\nb",
    "a\n- b\n+ c",
    "a\n> b",
    "a\n\n= b",
    "# a",
    "1. a",
    "\\begin{pmatrix}\na\n\\end{pmatrix}\n=\nb",
    "a &= b \\\\\n\n- c \\\\",
]


@pytest.mark.parametrize(
    ("opening", "closing"),
    [("$$", "$$"), ("\\[", "\\]"), ("\\begin{align*}", "\\end{align*}")],
)
def test_formula_of_several_lines_is_one_formula(opening: str, closing: str):
    texts = [f"So:\n\n{opening}\n{latex}\n{closing}\n\nIt is." for latex in DISPLAYS]

    expected = (
        r'<p>So:</p><p><bdi class="formula" tabindex="0"><math .*</math></bdi></p><p>It is.</p>'
    )
    assert [text for text in texts if not re.fullmatch(expected, render(text))] == []


def test_lines_of_formulas_in_code_and_quotations_are_kept():
    assert "$$\na\n\n= b\n$$\n" in render("```\n$$\na\n\n= b\n$$\n```")
    assert "<code>$ x $</code>" in render("`$ x $`")
    environment = "\\begin{align}\na\n\n= b\n\\end{align}"
    assert f"<code>{environment}\n</code>" in render(f"```\n{environment}\n```")
    assert "<code>\\begin{align}</code> or <code>\\end{align}</code>" in render(
        "`\\begin{align}` or `\\end{align}`"
    )
    assert "<blockquote" in render("> $$\n> a\n> $$\n>\n> b")


def test_formula_between_lines_has_no_empty_line_beside_it():
    assert "<br>" not in render("It is\n$$\na = b\n$$\nwhere")


def test_formulas_beside_other_text_are_recognised():
    assert [text for text in FORMULAS if "<math" not in render(text)] == []


ENVIRONMENTS = [
    "aligned",
    "align",
    "align*",
    "alignat",
    "alignedat",
    "gather",
    "gather*",
    "gathered",
    "split",
    "multline",
    "eqnarray",
    "flalign",
    "dcases",
    "cases",
    "rcases",
    "drcases",
    "equation",
    "smallmatrix",
    "pmatrix",
]


def test_rows_of_a_formula_are_rows_without_numbers():
    wrong = []
    for name in ENVIRONMENTS:
        argument = "{2}" if name.startswith("aligna") else ""
        latex = f"\\begin{{{name}}}{argument} a&=b\\\\ c&=d \\end{{{name}}}"
        html = render(f"$${latex}$$")
        words = html.partition("<mrow>")[2]
        if html != render(latex) or html.count("<mtr>") != 2 or "&amp;" in words or "(1)" in words:
            wrong.append((name, html))

    assert wrong == []


def test_other_environments_are_text():
    for text in (r"\begin{itemize}\item a\end{itemize}", r"\begin{align} a", r"\end{align} a"):
        assert render(text) == f"<p>{text}</p>"


def test_single_line_breaks_are_kept():
    assert shown("Roses are red,\nViolets are blue") == "Roses are red,<br>Violets are blue"
    assert shown("Ada\n1 Street\nTown") == "Ada<br>1 Street<br>Town"
    assert render("- a\n  b") == '<ul dir="auto"><li>a<br>b</li></ul>'


HEAD = "| a | b |\n|---|---|\n"
ROWS = {
    HEAD + "| $|x|$ | abs |": ["a", "b", "|x|", "abs"],
    HEAD + r"| \(|x|\) | `\` |": ["a", "b", "|x|", "\\"],
    HEAD + "| `a|b` | or |": ["a", "b", "a|b", "or"],
    HEAD + r"| `a\|b` | ``x`||y`` |": ["a", "b", "a|b", "x`||y"],
    HEAD + "| 1 | 2 | 3 |": ["a", "b", "1", "2 | 3"],
    HEAD + "| 1 | 2 | |": ["a", "b", "1", "2"],
    HEAD + "| ` | ` |": ["a", "b", "`", "`"],
    "Cost ($) | Price ($)\n-|-\n1": ["Cost ($)", "Price ($)", "1", ""],
    "> | a | `b|c` |\n> |--|--|\n> | d | e |": ["a", "b|c", "d", "e"],
    "- | `a|b` | c |\n  |--|--|\n  | d | e |": ["a|b", "c", "d", "e"],
    "```\n" + HEAD + "| `a|b` | or |\n```": [],
}


def test_each_cell_of_a_row_is_shown():
    def cells(html: str) -> list[str]:
        found = BeautifulSoup(html, "html.parser").select("th, td")
        return [cell.math["alttext"] if cell.math else cell.get_text() for cell in found]

    assert {text: cells(render(text)) for text in ROWS} == ROWS
    assert {text: cells(render_running([text, "\n\n"])) for text in ROWS} == ROWS
    assert "`a|b`" in render(list(ROWS)[-1])


URLS = {
    "https://a.example/x，谢谢": "https://a.example/x",
    "[https://a.example/x]": "https://a.example/x",
    "詳細はhttps://a.example/x。": "https://a.example/x",
    "「https://a.example/x」": "https://a.example/x",
    "《https://a.example/x》": "https://a.example/x",
    "https://a.example/x؟": "https://a.example/x",
    "https://a.example/x।": "https://a.example/x",
    "(https://a.example/x_(y))": "https://a.example/x_(y)",
    "{https://a.example/x}.": "https://a.example/x",
    "“https://a.example/x”": "https://a.example/x",
    "https://a.example/x，https://b.example": "https://a.example/x",
    '("https://a.example/x")': "https://a.example/x",
    "https://a.example/x<br>y": "https://a.example/x",
    "https://a.example/x[^1] y": "https://a.example/x",
    r"https://a.example/x_\(y\)": "https://a.example/x_(y)",
    r'"{\"a\":\"https://a.example/x\"}"': "https://a.example/x",
    "https://a.example/x?a=1&b=2!": "https://a.example/x?a=1&amp;b=2",
}


def test_bare_urls_end_where_their_text_ends():
    found = {text: render(text).partition('href="')[2].partition('"')[0] for text in URLS}

    assert found == URLS


def test_images_are_links_and_data_is_a_size():
    data = "A" * 500_000

    assert 'href="https://a.example/cat.png"' in render("![](https://a.example/cat.png)")
    assert shown(f"![plot](data:image/png;base64,{data})") == "plot (image/png, 367 KB)"
    digits = "\u0663" * 5_000
    assert digits in shown(f"data:a;base64,{digits}-bytesA")
    linked = render("[![alt](https://i.example/k.png)](https://a.example)")
    assert linked.count("<a ") == 1
    assert "alt" in linked


@pytest.mark.parametrize(
    "text", ["[b][1]\n\n[1]: https://a.example", "> [1]:\n> <https://a.example>\n\n[b][1]"]
)
def test_definition_that_a_link_uses_is_not_shown(text: str):
    html = render(text)

    assert html.count('href="https://a.example"') == 1
    assert "[1]:" not in html


def test_definition_in_code_stays_there():
    assert "[x]: https://a.example" in render("[x]\n\n```\n[x]: https://a.example\n```")


def test_each_list_and_quotation_has_its_own_direction():
    html = render("Python:\n\n- مرحبا\n\n> مرحبا\n\n| أ |\n|---|\n| ب |")

    for element in ("<ul", "<blockquote", '<section class="table"'):
        assert f'{element} dir="auto"' in html


def test_data_in_a_growing_reply_is_a_size():
    pieces = ["See ![plot](data:image/png;base64,", *["A" * 4_096] * 90, ") there"]

    assert render_running(pieces) == "<p>See plot (image/png, 270 KB) there</p>"
    assert render_running(pieces[:-1]) == "<p>See plot</p>"
