"""Replies in an exported conversation: lowered headings, closed blocks, no HTML."""

import comrak
import pytest
from bs4 import BeautifulSoup

from twindow.rendering.markdown_export import embed_inline, embed_markdown, quote_markdown

VIEWER = comrak.RenderOptions(unsafe_=True)
DIALECTS = (
    comrak.ExtensionOptions(),
    comrak.ExtensionOptions(table=True, footnotes=True, math_dollars=True),
    comrak.ExtensionOptions(table=True, autolink=True),
)

EXPORTED = {
    "# One\n\ntext": "### One\n\ntext",
    "Two\nlines\n---\n\ntext": "#### Two lines\n\n\n\ntext",
    "> ## In a quote ##\n> text": "> #### In a quote ##\n> text",
    "###### Six": "###### Six",
    "- # In a list": "- ### In a list",
    "#tag\n---\ntext": "#### #tag\n\ntext",
    "T `a<b>`\n===\n": "### T `a<b>`",
    "x\r# You": "x\n### You",
    "```\n# code\n```\n": "```\n# code\n```",
    "```a|b\n|-|\n```": "```a b\n|-|\n```",
    "a <b": "a &lt;b",
    r"\<b> \\<b>": r"&lt;b> \\&lt;b>",
    "<!-- a comment": "&lt;!-- a comment",
    "`<b>\nccccc`": "`&lt;b>\nccccc`",
    "www.a.example/`<b>`": "www.a.example/`&lt;b>`",
    "a@a.example/`<b>`": "a@a.example/`&lt;b>`",
    "```\ncode": "```\ncode\n```",
    "~~~~python\ncode\n~~~\n": "~~~~python\ncode\n~~~\n~~~~",
    "a\n```": "a\n```\n```",
    "```\nb\n    ```": "```\nb\n    ```\n```",
    "- ```\n  in a list": "- ```\n  in a list",
}


def test_headings_are_lowered_html_becomes_text_and_open_code_ends():
    assert {text: embed_markdown(text) for text in EXPORTED} == EXPORTED
    assert quote_markdown("a\n\n<b>") == "> a\n>\n> &lt;b>"
    assert embed_inline("a\n <b>") == "a &lt;b>"


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


def test_code_and_links_stay_as_they_are():
    assert [embed_markdown(text) for text in KEPT] == KEPT


TAG = "<img src=x onerror=alert(1)>"
HIDDEN = [
    f"\\{TAG} \\\\{TAG}",
    f"foo `\nbar `{TAG}` baz",
    f"`\n- {TAG}`",
    f"\\`{TAG}`",
    f'<a title="`"> `{TAG}`',
    f"$`$ `{TAG}`",
    f"\\( `\\) {TAG}",
    f"- ```\n  x\n{TAG}\n  ```\n{TAG}",
    f"> ```\n{TAG}",
    f"| a |\n|---|\n| `| {TAG}` |",
    f"| ` |\n|---|\n| `{TAG}` |",
    f"[a]: <b\n{TAG}",
    f"<https://a.example/`{TAG}>`",
    f"\ufdd0img src=x> \ufdd1img src=x> {TAG}",
    f"<![CDATA[ {TAG} <?php {TAG}",
    f"~~~ {TAG}",
    f"http://a[`]({TAG}`",
    f"www.a.example/`{TAG}`",
    f"[^1]: a\n\n    {TAG}\n\nb[^1]",
]


def test_no_viewer_finds_html_outside_of_code():
    def images(exported: str) -> int:
        viewed = [
            comrak.markdown_to_html(exported, dialect, comrak.ParseOptions(), VIEWER)
            for dialect in DIALECTS
        ]
        return sum(len(BeautifulSoup(html, "html.parser").select("img")) for html in viewed)

    assert images(TAG) == len(DIALECTS)
    exports = {text: f"{embed_markdown(text)}\n\n{quote_markdown(text)}" for text in HIDDEN}
    assert [text for text, exported in exports.items() if images(exported)] == []


@pytest.mark.timeout(10)
def test_time_of_an_export_does_not_grow_with_the_square_of_its_length():
    """With a regular expression of quadratic time, each of these texts would take minutes."""
    for text in ("\\" * 200_000 + "<b>", "<https://" * 50_000, "`<b>` " * 50_000, "`" * 200_000):
        assert len(embed_markdown(text)) >= len(text) / 2


@pytest.mark.parametrize("text", ["> " * 100_000, "![" * 100_000 + "a" + "](x)" * 100_000])
def test_text_that_is_nested_too_deeply_is_code(text: str):
    assert embed_markdown(f"{text}\n<b>").splitlines() == [f"    {text}", "    <b>"]
