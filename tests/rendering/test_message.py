"""Rendering of messages: literal text, except for fenced code."""

from __future__ import annotations

import html
import re

from bs4 import BeautifulSoup
from hypothesis import given
from hypothesis import strategies as st

from twindow.rendering import is_long_message, render, render_message

CODE = "```python\nif a < b:\n    print('<b>')\n```\n"


def parse(text: str) -> BeautifulSoup:
    return BeautifulSoup(render_message(text), "html.parser")


def code_in(text: str) -> list[str]:
    return [code.get_text() for code in parse(text).select(".code > pre > code")]


def test_fenced_code_is_rendered_as_in_a_reply():
    assert render(CODE).strip() in render_message(f"Look:\n{CODE}")


LITERAL = [
    "a **b** `c` $x$ # d",
    "# Heading\n\n- item\n\n    indented",
    '<script>alert(1)</script> & <div class="code">',
    "Inline ```code``` only",
    "```\nnever closed",
    "````\nclosed by a shorter fence\n```",
    "    ```\nindented by four\n    ```",
    "~~~\ntildes\n~~~",
    "```\n``` not a fence",
    "",
]


def test_everything_but_fenced_code_is_literal_text():
    assert [render_message(text) for text in LITERAL] == [
        html.escape(text, quote=False) for text in LITERAL
    ]


FENCED = [
    ("```\na\n```", ["a\n"]),
    ("before\n```js\na\n```\nafter\n```\nb\n```", ["a\n", "b\n"]),
    ("````\n```\na\n```\n````", ["```\na\n```\n"]),
    ("  ```\n  a\n b\n  ```  \n", ["  a\n b\n"]),
    ("```\r\na\r\n```", ["a\n"]),
    ("```\n```", [""]),
    (
        "```\n| a |\n|---|\n[x](https://x.example) <b>\n```",
        ["| a |\n|---|\n[x](https://x.example) <b>\n"],
    ),
]


def test_code_is_what_is_between_the_fences():
    assert [(text, code_in(text)) for text, _ in FENCED] == FENCED


def test_code_does_not_affect_the_text_direction_of_a_message():
    page = parse(f"{CODE}كيف؟")

    assert [block["dir"] for block in page.find_all(recursive=False)] == ["ltr"]


def test_fences_are_hidden_from_view_and_from_screen_readers():
    page = parse(CODE)

    assert [(mark["aria-hidden"], mark.get_text()) for mark in page.select(".visually-hidden")] == [
        ("true", "```python\n"),
        ("true", "```\n"),
    ]


pieces = st.sampled_from(
    [
        "```",
        "````",
        "\n",
        "\n",
        " ",
        "\t",
        "\f",
        "\v",
        "\x85",
        "\u2028",
        "`",
        "py",
        "<b>",
        "&lt;",
        "|-|",
        "$x$",
        "- ",
        "> ",
    ]
)


@given(st.lists(pieces, max_size=40).map("".join))
def test_text_content_of_the_html_is_the_message(text: str):
    message_html = render_message(text)

    # Use regular expressions, because Beautiful Soup shortens white space.
    assert html.unescape(re.sub("<[^>]*>", "", message_html)) == text
    assert set(re.findall(r"<(\w+)", message_html)) <= {"div", "span", "pre", "code", "i"}


def test_length_of_the_html_is_limited():
    for text in ("```\n" * 8_000, "```py\nx=1\n```\n" * 2_400):
        assert len(render_message(text)) <= 2 * len(text) + 16_384


def test_only_short_code_is_highlighted():
    line = "x = 1\n"

    assert "<i" in render_message(f"```py\n{line * 600}```")
    assert "<i" not in render_message(f"```py\n{line * 5_000}```")


LENGTHS = [
    ("line\n" * 12, False),
    ("line\n" * 12 + "line", True),
    ("x" * 960, False),
    ("x" * 961, True),
    ("\n" * 200, True),
    ("```\n" + "x" * 5_000 + "\n```", False),
    ("```\n" + "x\n" * 10 + "```", False),
    ("```\n" + "x\n" * 11 + "```", True),
]


def test_message_of_more_than_twelve_lines_is_long():
    assert [(text, is_long_message(text)) for text, _ in LENGTHS] == LENGTHS
