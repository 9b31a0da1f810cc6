"""Replies in an exported conversation: lowered headings, closed blocks, no HTML."""

import comrak
import pytest
from bs4 import BeautifulSoup

from rendering.markdown_export import embed_inline, embed_markdown, quote_markdown

VIEWER = comrak.RenderOptions(unsafe_=True)
DIALECTS = (
    comrak.ExtensionOptions(),
    comrak.ExtensionOptions(
        table=True, strikethrough=True, tasklist=True, footnotes=True, math_dollars=True
    ),
    comrak.ExtensionOptions(table=True, autolink=True),
)


def view(text: str, dialect: comrak.ExtensionOptions = DIALECTS[1]) -> BeautifulSoup:
    """Return what a viewer shows that allows HTML."""
    html = comrak.markdown_to_html(text, dialect, comrak.ParseOptions(), VIEWER)
    return BeautifulSoup(html, "html.parser")


LOWERED = [
    ("# One\n\ntext", "### One\n\ntext"),
    ("Two\nlines\n---\n\ntext", "#### Two lines\n\n\n\ntext"),
    ("> ## In a quote ##\n> text", "> #### In a quote ##\n> text"),
    ("###### Six", "###### Six"),
    ("- # In a list", "- ### In a list"),
    ("#tag\n---\ntext", "#### #tag\n\ntext"),
    ("T `a<b>`\n===\n", "### T `a<b>`"),
    ("```\n# code\n```\n", "```\n# code\n```"),
    ("x\r# You", "x\n### You"),
    ("No heading", "No heading"),
    ("```a|b\n|-|\n```", "```a b\n|-|\n```"),
]


def test_headings_are_lowered_by_two_levels_and_other_text_is_unchanged():
    assert [(text, embed_markdown(text)) for text, _ in LOWERED] == LOWERED


@pytest.mark.parametrize(
    "text",
    [
        "```\ncode",
        "~~~~python\ncode\n~~~\n",
        "```\ndone\n```",
        "- a\n\n  ```\n  b",
        "1. Run:\n\n   ```sh\n   make",
        "a\n```",
        "```\nb\n    ```",
        "<!-- a comment",
        "<h2>You, today</h2>\n\n<script>",
        "<div>\n<!--\n# You\n</div>",
        "- ```\n  in a list",
        "> ~~~\n> in a quotation",
    ],
)
def test_unclosed_markdown_does_not_swallow_the_following_heading(text: str):
    html = view(f"{embed_markdown(text)}\n\n## Next\n")

    assert [heading.get_text() for heading in html.select("h1, h2")] == ["Next"]
    assert html.find_all(recursive=False)[-1].name == "h2"


TAG = "<img src=x onerror=alert(1)>"
HIDDEN = [
    TAG,
    f"a\n{TAG}",
    f"\\{TAG} \\\\{TAG}",
    f"foo `\nbar `{TAG}` baz",
    f"`\n- {TAG}`",
    f"\\`{TAG}`",
    f'<a title="`"> `{TAG}`',
    f"$`$ `{TAG}`",
    f"$ `$ {TAG} ` $",
    f"\\( `\\) {TAG}`",
    f"- ```\n  x\n{TAG}\n  ```\n{TAG}",
    f"> ```\n{TAG}",
    f"1. ```\n   a\nb\n   ```\n{TAG}",
    f"| a |\n|---|\n| `| {TAG}` |",
    f"[a]: <b\n{TAG}",
    f"<https://a.example/`{TAG}>`",
    f"\ufdd0img src=x> \ufdd1img src=x> {TAG}",
    f"<![CDATA[ {TAG} <?php {TAG}",
    f"~~~ {TAG}",
    f"http://a[`]({TAG}`",
    f"www.a.example/`{TAG}`",
    f"| ` |\n|---|\n| `{TAG}` |",
    f"[^1]: a\n\n    {TAG}\n\nb[^1]",
]


@pytest.mark.parametrize("text", HIDDEN)
@pytest.mark.parametrize("dialect", DIALECTS, ids=["CommonMark", "formulas", "GFM"])
def test_html_outside_of_code_is_text(text: str, dialect: comrak.ExtensionOptions):
    for exported in (embed_markdown(text), quote_markdown(text), embed_inline(text)):
        assert view(exported, dialect).find("img") is None


KEPT = [
    "```python\nfor x in y[1]: h[n](x)  # a <b>\n```",
    "`<b>` and 1 < 2",
    'Tags: `<b>`/"`<i>`", `<p>`',
    "- ```\n  <b>\n  ```\n- c",
    "10. a\n\n    ~~~html\n    <p>\n    ~~~",
    "text\n\n    <b>",
    "| `<a>` | 1 |\n|---|---|\n| `<b>` | 2 |",
    "<https://example.com/?a=1&b=2>",
    "**Use `<ü>`** or\n`<c>` > d",
]


@pytest.mark.parametrize("text", KEPT)
def test_code_and_links_stay_as_they_are(text: str):
    assert embed_markdown(text) == text


def test_escaped_html_is_shown_as_it_was_written():
    for text, shown in {"a <b": "a <b", r"\<b>": "<b>", r"\\<b>": r"\<b>"}.items():
        assert view(embed_markdown(text)).get_text().strip() == shown


def test_quoted_message_keeps_its_lines():
    assert quote_markdown("a\n\n<b>") == "> a\n>\n> &lt;b>"


def test_time_of_an_export_does_not_grow_with_the_square_of_its_length():
    """With a regular expression of quadratic time, each of these texts would take minutes."""
    texts = [
        "\\" * 200_000 + "<b>",
        "<https://" * 50_000,
        "`<b>` a\n" * 20_000,
        "`<b>` " * 50_000,
        "`" * 200_000,
    ]
    for text in texts:
        assert len(embed_markdown(text)) >= len(text) / 2


@pytest.mark.parametrize("text", ["> " * 100_000, "![" * 100_000 + "a" + "](x)" * 100_000])
def test_text_that_is_nested_too_deeply_is_code(text: str):
    assert embed_markdown(f"{text}\n<b>").splitlines() == [f"    {text}", "    <b>"]
