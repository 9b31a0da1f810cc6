"""Replies in an exported conversation: lowered headings, closed blocks, escaped HTML."""

import pyromark
from bs4 import BeautifulSoup

from rendering.export_markdown import embed_inline, embed_markdown, lower_headings
from rendering.preprocess import MARKDOWN_OPTIONS

LOWERED = [
    ("# One\n\ntext", "### One\n\ntext"),
    ("Two\nlines\n---\n\ntext", "#### Two lines\n\ntext"),
    ("> ## In a quote ##\n> text", "> #### In a quote\n> text"),
    ("###### Six", "###### Six\n"),
    ("# a -> b >", "### a -> b >\n"),
    ("#tag\n---\ntext", "#### #tag\ntext"),
    ("> Two\n> lines\n> ===\n", "> ### Two lines\n"),
    ("```\n# code\n```\n", "```\n# code\n```\n"),
    ("x\r# You", "x\n### You\n"),
    ("No heading", "No heading"),
]


def test_headings_are_lowered_and_other_text_is_unchanged():
    assert [(text, lower_headings(text)) for text, _ in LOWERED] == LOWERED


OPEN = [
    "```\ncode",
    "~~~~python\ncode\n~~~\n",
    "```\ndone\n```",
    "- a\n\n  ```\n  b",
    "1. Run:\n\n   ```sh\n   make",
    "a\n```",
    "```\nb\n    ```",
    "```\nb\n```~",
    "<!-- a comment",
    "a <!-- comment",
    "<h2>You, today</h2>\n\n<script>",
    "<div>\n<!--\n# You\n</div>",
    "- ```\n  in a list",
    "> ~~~\n> in a quotation",
    "<details><summary>x",
]


def test_unclosed_markdown_does_not_swallow_the_following_heading():
    wrong = []
    for text in OPEN:
        html = BeautifulSoup(pyromark.html(f"{embed_markdown(text)}\n\n## Next\n"), "html.parser")
        headings = [heading.get_text() for heading in html.select("h1, h2")]
        if headings != ["Next"] or html.find_all(recursive=False)[-1].name != "h2":
            wrong.append(text)

    assert wrong == []


HTML = ["$<img src=x>$", "<!--\n\\\\</div>\n?>\nx…-->", "<?\n\\\\</pre>…?>"]


def test_exported_html_is_escaped_for_parsers_without_math():
    for text in HTML:
        for html in (
            pyromark.html(embed_markdown(text)),
            pyromark.html(embed_markdown(text), options=MARKDOWN_OPTIONS),
        ):
            tags = {tag.name for tag in BeautifulSoup(html, "html.parser").find_all()}
            assert tags <= {"p", "span"}, text


WORDS = ["``` <img src=x>", "~~~ <script>x</script>", "[a]: <b>", "- ~~~ <b>", "a <b>c"]


def test_html_in_inline_text_is_escaped():
    for words in WORDS:
        for line in ("# {}", "A conversation with {}."):
            html = BeautifulSoup(pyromark.html(line.format(embed_inline(words))), "html.parser")
            assert {tag.name for tag in html.find_all()} <= {"h1", "p"}, words


def test_html_in_code_is_exported_unchanged():
    text = "```html\n<h2>\n```\n\n`<b>` and 1 < 2"

    assert embed_markdown(text) == text
