"""Rendering of replies as Markdown. A reply is untrusted and never becomes active content."""

import re

import comrak
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.html import parse_html
from twindow.rendering import footnotes
from twindow.rendering.render import max_html_length, render, render_plain

RENDERED = [
    ("Hello **you**", "<p>Hello <strong>you</strong></p>"),
    ("- a\n- b", '<ul dir="auto"><li>a</li><li>b</li></ul>'),
    ("`<b>`", "<p><code>&lt;b&gt;</code></p>"),
    ("a <b>c</b>", "<p>a &lt;b&gt;c&lt;/b&gt;</p>"),
    ("1 < 2 & 3", "<p>1 &lt; 2 &amp; 3</p>"),
    ("![a cat](/cat.png)", "<p>a cat</p>"),
    ("# Big\n\n###### Small", "<h3>Big</h3><h6>Small</h6>"),
    (
        "- [x] a\n- [ ] b",
        (
            '<ul dir="auto"><li class="task"><span class="box" data-box="☑">☑</span> a</li>'
            '<li class="task"><span class="box" data-box="☐">☐</span> b</li></ul>'
        ),
    ),
    ("~~a~~", "<p><del>a</del></p>"),
    ("", ""),
]


def test_markdown_is_rendered():
    assert [(text, render(text)) for text, _ in RENDERED] == RENDERED


DANGEROUS = [
    "<script",
    "<img",
    "<div",
    "<style",
    "<svg",
    "<iframe",
    "<hx-",
    "javascript:",
    'href="/',
    "hx-get=",
]
HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[x](javascript:alert(1))",
    "[x](\u2028javascript:alert(1))",
    "[x](/keys)",
    "<a href='https://x' onclick='y'>x</a>",
    "<div hx-get='/keys' hx-trigger='load'>x</div>",
    "<hx-partial hx-target='#main'>x</hx-partial>",
    "<style>*{display:none}</style>",
    "<svg><style><img src=x onerror=alert(1)></style></svg>",
    "<iframe src='https://x'></iframe>",
    "```html\n<script>alert(1)</script>\n```",
    "![x](data:image/svg+xml;base64,AAAA)",
]


def test_rendered_text_has_no_active_content():
    wrong = []
    for text in HOSTILE:
        html = render(text).replace('<div class="code"', "").lower().replace("&lt;", "«")
        html = html.replace("«div hx-get=", "")
        wrong += [(text, each) for each in DANGEROUS if each in html]

    assert wrong == []


def test_table_is_in_a_scrollable_section():
    html = render("| a |\n|--:|\n| 1 |")

    assert html.startswith('<section class="table" dir="auto" tabindex="0"><table><thead>')
    assert '<th align="right">a</th>' in html


def test_footnotes_link_to_their_own_reply_and_back():
    html = render("A[^x], again[^x]\n\n[^x]: B", "t1")

    assert html == (
        '<p>A<sup><a href="#note-t1-x" role="doc-noteref" id="call-t1-x">x</a></sup>'
        ', again<sup><a href="#note-t1-x" role="doc-noteref">x</a></sup></p>'
        '<div class="noted" id="note-t1-x"><b>x</b>'
        '<p>B <a href="#call-t1-x" role="doc-backlink">\u21a9</a></p></div>'
    )


def test_footnotes_keep_their_written_labels():
    html = render("A[^3] B[^note-1] `[^3]`\n\n[^note-1]: C\n[^3]: D")

    assert re.findall(r'role="doc-noteref"[^>]*>([^<]*)', html) == ["3", "note-1"]
    assert re.findall(r"<b>([^<]*)</b><p>(\w)", html) == [("note-1", "C"), ("3", "D")]
    assert "<code>[^3]</code>" in html


def test_label_of_a_footnote_cannot_end_an_attribute():
    html = render('A[^"x&amp;y]\n\n[^"x&amp;y]: B', "t1")

    assert 'href="#note-t1-' in html
    assert '"x' not in html.replace('>"x', "")


# Elements that a definition of a footnote would leave open, or close for others.
CROSSING_DEFINITIONS = [
    "[^1]: **a\n[^*x*]: b**",
    "[^*x*]: **a\n[^2]: b** [z](https://e.x)",
    "[^1]: [a\n[^2]: b](https://e.x)",
    "[^1]: ~~a\n[^2]: b~~",
]


def test_definitions_of_footnotes_leave_no_element_open():
    def unclosed(text: str) -> list[str]:
        opened: list[str] = []
        for end, tag in re.findall(r"<(/?)([a-z0-9]+)", render(text).replace("<br>", "")):
            if not end:
                opened.append(tag)
            elif not opened or opened.pop() != tag:
                return [f"/{tag}"]
        return opened

    assert {text: unclosed(text) for text in CROSSING_DEFINITIONS if unclosed(text)} == {}


def test_definition_whose_label_has_markup_stays_text():
    html = render("before\n\n[^`f`]: lost words\n\nafter")

    assert re.sub("<[^>]*>", " ", html).split() == [
        "before",
        "[^",
        "f",
        "]:",
        "lost",
        "words",
        "after",
    ]


def test_ids_of_footnotes_are_unique():
    html = render("[^a!] [^a?]\n\n[^a!]: 1\n\n[^a?]: 2\n\n[^a?]: 3", "t1")

    ids = re.findall(' id="([^"]*)"', html)
    assert len(ids) == len(set(ids)) == 4


def test_reference_to_a_footnote_in_a_link_is_no_second_link():
    html = render("[https://bank.example/[^1]](https://evil.example/login)")

    assert html.count("<a ") == 1
    assert "evil.example</small></a>" in html


def test_characters_that_stand_in_for_markup_are_never_taken_from_the_text():
    codes = [*range(0xE000, 0xE010)]
    forms = ("{}", "&#{0:d};", "&#x{0:x};", "&#X{0:06X};")
    texts = [
        form.format(chr(code) if form == "{}" else code) + rest
        for code in codes
        for form in forms
        for rest in ("1&#xE006;: a", "kbd>a", "br>", f"a ] `{chr(code)}`")
    ]

    for text in texts:
        html = render(f"{text} [c](https://e.x/{text[:6]})")
        assert not re.search("[\ue000-\ue00f]|<kbd|<br|noted|noteref", html), text
    assert "<code>%EE%80%80</code>" in render("`%EE%80%80`")
    assert "%EE%80%8F" in render("https://e.x/%EE%80%8F")


@pytest.mark.limit("L25")
def test_too_deep_or_too_long_text_is_shown_as_plain_text():
    for text in ("- " * 20_000 + "x", "> " * 20_000 + "x", "<b>" * 200_000, "x " * 2_500_000):
        html = render(text)
        assert html.startswith(("<pre>", "<p>")), text[:4]
        assert "<ul" not in html, text[:4]
        assert "<blockquote" not in html, text[:4]
    assert render("x  \n" * 100).count("<br>") == 99  # an element without content is not deep


# If `<script>` is escaped, the HTML below it becomes code, and the code becomes HTML.
UNDER = "<script>\n```\n</script>\n```\n"


def test_html_revealed_by_escaping_earlier_lines_is_escaped_too():
    for layers in (1, 2, 3, 8):
        text = (
            UNDER * layers
        ) + '<pre><code class="language-python"><div><sup>1</sup>\n\n## Inside'
        html = render(text)
        assert not re.search(r"<(div>|script|pre><code class)", html), layers
        assert html.count("<div") == html.count("</div"), layers
        assert "Inside" in html, layers


def test_table_that_expands_too_much_is_shown_as_plain_text():
    for columns, rows in ((1_000, 200), (90, 12_000)):
        text = "|a" * columns + "|\n" + "|-" * columns + "|\n" + "|b\n" * rows
        # A heading ends the small table, and the large table directly follows the heading.
        behind = f"|a|\n|-|\n|b|\n# Then\n{text}"
        assert render(text) == render_plain(text)
        assert render(behind) == render_plain(behind)
    assert "<td>" in render("|a|b|\n|-|-|\n" + "|1|2|\n" * 2_000)


def test_table_whose_html_would_be_too_large_is_not_parsed(monkeypatch: pytest.MonkeyPatch):
    parsed: list[str] = []
    monkeypatch.setattr(comrak, "markdown_to_html", lambda text, *_: parsed.append(text) or "")
    text = "|a" * 50 + "|\r" + "|-" * 50 + "|\r" + "|<b>\r" * 1_900

    assert render(text) == render_plain(text)
    assert parsed == []
    render("|a|\n|-|\n")
    assert len(parsed) == 1


def test_number_of_linked_footnote_references_is_limited():
    html = render("[^1]" * 75_000 + "\n\n[^1]: Note\n")

    assert html.count("doc-noteref") == footnotes.MAX_LINKED_REFERENCES
    assert html.count("<sup>1</sup>") == 75_000 - footnotes.MAX_LINKED_REFERENCES


@pytest.mark.limit("L26")
def test_text_whose_html_would_be_too_large_is_shown_as_plain_text():
    text = "[a](http://b.c)\n\n" * 10_000

    assert render(text) == render_plain(text)
    assert "<a " in render(text[:1_000])


@given(st.text("&#;ax<>"))
def test_plain_text_is_shown_as_it_is(text: str):
    assert parse_html(render_plain(text)).get_text() == f"{text}\n"


def test_html_of_plain_text_is_limited():
    for text in ("&" * 600_000, "<" * 600_000, "&a" * 300_000):
        assert len(render_plain(text)) < max_html_length(len(text)), text[:2]


@pytest.mark.timeout(10)
def test_very_long_table_row_is_read_in_linear_time():
    for begin in ("|", " |", "|-", "> |"):
        assert "x" in render(begin * 200_000 + "x")


def test_total_size_of_mathml_is_bounded():
    huge = "".join(f"$\\mathcal{{{'A' * 900}}}{number}$ " for number in range(300))

    assert len(render(huge)) < 2_000_000
    assert "<math" in render(huge)
