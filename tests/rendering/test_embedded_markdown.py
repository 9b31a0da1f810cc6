"""Replies in an exported conversation: lowered headings, closed blocks, nothing active."""

import re
from functools import cache, partial

import markdown
import markdown2
import mistune
import pyromark
from bs4 import BeautifulSoup
from bs4.element import PreformattedString
from markdown_it import MarkdownIt

from rendering.embedded_markdown import (
    MARKDOWN_OPTIONS,
    embed_inline,
    embed_markdown,
    lower_headings,
    quote_markdown,
)

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
    ("# You #", "### You\n"),
    ("## #", "#### \n"),
    ("# You#", "### You#\n"),
    ("# You \t## \t", "### You\n"),
    ("No heading", "No heading"),
]


def test_headings_are_lowered_by_two_levels_and_other_text_is_unchanged():
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


PAYLOADS = [
    "<img src=x onerror=alert(1)>",
    "<script\u00a0x>\n\n<img src=x onerror=alert(1)>",
    "<script>alert(1)</script>",
    "<svg/onload=alert(1)>",
    "<a\nhref='javascript:alert(1)' onclick=alert(1)>x</a>",
    "<!-- x -->",
    "<?php\n\\\\</pre>…?>",
    "<![CDATA[<img src=x>]]>",
    "<!--\n\\\\</div>\n?>\nx…-->",
    "![pixel](https://example.com/pixel.png)",
    "!!![pixel][r]\n\n[r]: https://example.com/pixel.png",
    "[![pixel](https://example.com/pixel.png)](https://example.com)",
    "[x](javascript:alert(1))",
    "[x] (JavaScript:alert(1))",
    "[x](<java&#115;cript:alert(1)>)",
    "[x]( java\\script\\:alert(1) )",
    "[x](data:text/html,x 'title')",
    "<javascript:alert(1)>",
    "[x][r] [r]\n\n[r]: javascript:alert(1)",
    "[^r]\n\n[^r]:\n  &#106;avascript:alert(1)",
    "> - [a\nb]: vbscript:x\n\n[a b]",
    "\\[x](javascript:alert(1)) \\\\[x](javascript:alert(1))",
    "1) a\n\n    <img src=x onerror=alert(1)>",
    "\\![pixel](https://example.com/pixel.png)",
    '<https://a"/onclick=alert(1)>',
    "*a*{: onclick=alert(1) }",
    "[a](https://b){ b='" + "c" * 300 + "' onclick=alert(1) }",
    "a\x0b[x]: javascript:alert(1)\u2028[x]",
    ": [x]: javascript:alert(1)\n\n[x]",
    "*a*{: b='}' onclick=alert(1)}",
    "- [x] [r]: javascript:alert(1)\n\n[r]",
    f"[{'a' * 1_001}]: javascript:x\n\n[{'a' * 1_001}]",
    "<https://a.example/[/onclick=alert(1)//](https://b.example)>",
    "[x](java\nscript:alert(1))",
    "`` `[x](`javascript`:alert(1))",
    "\x02[r]:javascript:alert(1)\n\n[r]",
    "{\nonclick=alert(1)}\n-",
]
# With the extra `tables`, markdown2 reads these tables also in code (docs/security.md).
TABLE_PAYLOADS = ["|\n-|\n<img src=x onerror=alert(1)>", "[x](javascript:alert(1))|\n-|"]
# Texts into which the payload is inserted. Parsers read some of these texts differently, but no
# parser may interpret the payload as HTML.
SURROUNDINGS = [
    "{}",
    "\\{}",
    "\\\\{}",
    "x\n{}",
    "> {}",
    "- {}",
    "1. a\n\n   {}",
    "| a |\n|-|\n| {} |",
    "${}$",
    '<a title="`">\n{} `b`',
    "`<b>\n|a|b|\n|-|-|\n{}`",
    "```a|b\n|-|-|\n{}",
    "- a\n\n\n\t{}",
    "<div>\n{}\n</div>",
    "<!-- `\n\n{}\n` -->",
    "[CodeBlock](CodeBlock '{}')",
    "[x]: <{}>",
    "# {} #",
    "```html\n{}\n```",
    "~~~\n\n{}\n\n~~~",
    "```html {{.x}}\n{}\n```",
    "x\n```\n{}\n```\ny",
    "`````\n```\n{}\n```\n`````",
    "```\nx ``` \n{}\n```",
    "`{}`",
    "`` {} ``",
    "    {}",
    "1. a\n\n   ```js\n   {}\n   ```\n2. b",
    "> ```\n> {}\n> ```",
    "- ```\n  {}\n  ```",
    "- a\n  - b\n\n        {}\n",
    "`text`\n\n    {}",
    "- a\n\n`text`\n\n    {}",
    "12345678901. a\n\n    {}",
    "`a`{}`b`",
    "```\n{}\n```\n\xa0z",
    "a``` b\n`{}`",
    "http://a.example/`{}`",
    "(`{}`) `",
    "\ufdd00\ufdd1\n\n```\n{}\n```",
]
MARKDOWN2_EXTRAS = ["fenced-code-blocks", "footnotes", "tables"]
VIEWERS = {
    "CommonMark": lambda text: MarkdownIt("commonmark", {"html": True}).render(text),
    "GitHub": lambda text: MarkdownIt("gfm-like", {"html": True, "linkify": False}).render(text),
    "pyromark": pyromark.html,
    "pyromark with formulas": lambda text: pyromark.html(text, options=MARKDOWN_OPTIONS),
    "pyromark with attributes": lambda text: pyromark.html(
        text, options=pyromark.Options.ENABLE_HEADING_ATTRIBUTES | pyromark.Options.ENABLE_TABLES
    ),
    # Without extensions, Python-Markdown and markdown2 know no code fences.
    "Python-Markdown": markdown.markdown,
    "Python-Markdown with extensions": partial(markdown.markdown, extensions=["extra"]),
    "markdown2": markdown2.markdown,
    "markdown2 with extras": partial(markdown2.markdown, extras=MARKDOWN2_EXTRAS),
    "mistune": mistune.create_markdown(escape=False, plugins=["table", "footnotes"]),
}
TAGS = {
    "a",
    "blockquote",
    "br",
    "code",
    "dd",
    "dl",
    "dt",
    "em",
    "h1",
    "h2",
    "h3",
    "h4",
    "hr",
    "input",  # the box of a task
    "li",
    "ol",
    "p",
    "pre",
    "span",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "tr",
    "ul",
}


HARMLESS_URL = re.compile(r"https?://|mailto:|#|[\w.%-]*$", re.IGNORECASE)


# Payloads and surroundings of each kind. The first are tested in all surroundings, and all payloads
# in the latter.
MAIN_PAYLOADS = [
    "<img src=x onerror=alert(1)>",
    "<!--\n\\\\</div>\n?>\nx…-->",
    "[x](javascript:alert(1))",
    "[x][r] [r]\n\n[r]: javascript:alert(1)",
    "*a*{: onclick=alert(1) }",
    *TABLE_PAYLOADS,
]
MAIN_SURROUNDINGS = [
    "{}",
    "x\n{}",
    "> {}",
    "- {}",
    "| a |\n|-|\n| {} |",
    "```html\n{}\n```",
    "`{}`",
    "    {}",
    "- ```\n  {}\n  ```",
]


def test_exported_replies_run_and_load_nothing_in_viewers_that_allow_html():
    live = [
        (payload, surroundings, viewer)
        for payload in [*PAYLOADS, *TABLE_PAYLOADS]
        for surroundings in (SURROUNDINGS if payload in MAIN_PAYLOADS else MAIN_SURROUNDINGS)
        for exported in exports_of(surroundings.format(payload))
        for viewer, render in VIEWERS.items()
        if not (payload in TABLE_PAYLOADS and viewer == "markdown2 with extras")
        and is_live(render(exported))
    ]

    assert live == []


def exports_of(text: str) -> list[str]:
    return [
        embed_markdown(text),
        f"# {embed_inline(text.replace(chr(10), ' '))}\n",
        quote_markdown(text),
    ]


@cache
def is_live(html: str) -> bool:
    """Return whether HTML has tags, handlers, comments or links that Markdown never produces."""
    document = BeautifulSoup(html, "html.parser")
    return bool(document.find_all(string=lambda text: isinstance(text, PreformattedString))) or any(
        (tag.name not in TAGS and tag.get("class") != ["codehilite"])  # a frame of markdown2
        or any(name.startswith("on") for name in tag.attrs)
        or not HARMLESS_URL.match(str(tag.get("href", "#")))
        for tag in document.find_all()
    )


def test_images_are_exported_as_links():
    assert embed_markdown("Look: ![a cat](https://example.com/cat.png)!") == (
        "Look: [a cat](https://example.com/cat.png)!"
    )


def test_exported_html_is_readable_as_it_was_written():
    shown = {"<b title='&lt;'>": "<b title='&lt;'>", "a <b": "a <b", r"\<b>": "<b>"}
    for render in VIEWERS.values():
        for text, expected in shown.items():
            document = BeautifulSoup(render(embed_markdown(text)), "html.parser")
            assert document.get_text().strip() == expected


def test_urls_in_angle_brackets_stay_links():
    assert embed_markdown("<https://example.com/?a=1&b=2>") == "<https://example.com/?a=1&b=2>"


WORDS = ["``` <img src=x>", "~~~ <script>x</script>", "[a]: <b>", "- ~~~ <b>", "a <b>c"]


def test_html_in_inline_text_is_escaped():
    for words in WORDS:
        for line in ("# {}", "A conversation with {}."):
            html = BeautifulSoup(pyromark.html(line.format(embed_inline(words))), "html.parser")
            assert {tag.name for tag in html.find_all()} <= {"h1", "p"}, words


CODE = {
    "```python\nfor x in y[1]: h[n](x)  # a < b\n```": None,
    "`<b>` and 1 < 2": None,
    'Tags: `<b>`/"`<i>`", `<p>`': None,
    "a\n\n~~~ html x\n<h2>\n\n</h2>\n~~~\nb": ("a\n\n\n\n`html`\n\n    <h2>\n\n    </h2>\n\n\nb"),
    "- ```\n  <b>\n  ```\n- c": "\n\n`text`\n\n    <b>\n\n\n- c",
    "`text`\n\n    <b>": "`text`\n\n\n\n`text`\n\n    <b>\n\n",
}


def test_code_stays_as_it_is_unless_a_viewer_without_fences_would_read_it_as_html():
    expected = {text: exported or text for text, exported in CODE.items()}

    assert {text: embed_markdown(text) for text in CODE} == expected


def test_only_links_to_websites_and_mail_addresses_stay_links():
    links = {
        "[x](https://a.example)": None,
        "[x](mailto:a@b.example)": None,
        "[x][1]\n\n[1]:\n  HTTP://a.example": None,
        "a[^1]\n\n[^1]: A note": None,
        "[x](/path)": "[x&#93;(/path)",
        "[x](tel:1)": "[x&#93;(tel:1)",
        "[1]: ftp://a": "&#91;1]: ftp://a",
    }
    assert {text: embed_markdown(text) for text in links} == {
        text: exported or text for text, exported in links.items()
    }


def test_quoted_message_keeps_its_lines():
    assert quote_markdown("a\n\n<b>") == "> a\n>\n> &lt;b>"


def test_time_of_an_export_does_not_grow_with_the_square_of_its_length():
    """With a regular expression of quadratic time, each of these texts would take minutes."""
    texts = [
        "\\" * 200_000 + "<b>",
        "# a" + " " * 1_000_000 + "b",
        "#" * 500_000 + " a",
        "[a](b" * 10_000,
        "](" + ">" * 50_000,
        "[^a]:" + ">" * 50_000,
        "\n[" * 10_000 + "<b>",
        "]:http://" * 5_000,
        "{a" * 10_000,
        "> " * 10_000 + "x<b>",
        "`<b>` " * 5_000,
    ]
    for text in texts:
        assert len(embed_markdown(text)) >= len(text) / 2
