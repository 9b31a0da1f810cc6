"""The continuation mark of a truncated reply, which must not become part of its code."""

from rendering.render import render
from service.llm.cut_off import goes_on

ENDS = [
    ("Once upon", " …"),
    ("It is a CodeBlock", " …"),
    ("```\ncode\n```\nOnce", " …"),
    ("```python\nx = 1", "\n```\n\n…"),
    ("~~~~\nx\n~~~\n", "~~~~\n\n…"),
    ("1. So:\n   ```\n   x", "\n\n…"),
    ("- ```py\n  x", "\n\n…"),
    ("> ```\n> x", "\n\n…"),
    ("    indented", "\n\n…"),
    ("```\nx\n\t```\ny", "\n```\n\n…"),
    ("```\nx\n```` \ny ```z``` w", " …"),
    ("```\nx\n``` no end", "\n```\n\n…"),
    ("``` this is `code` in a line", " …"),
    ("```", "\n```\n\n…"),
    ("```\nx\n```", "\n\n…"),
    ("<details><summary>Code</summary>\n```python\nx = 1\n", "```\n\n…"),
    ("<div>\n```\nx = 1", "\n```\n\n…"),
    ("So[^1]\n\n[^1]: note\n\n        code", "\n\n…"),
    ("So:\n\n   ", "…"),
    ("    x\n   ", "…"),
    ("-    ", "…"),
]


def test_continuation_mark_of_a_truncated_reply_is_outside_its_code():
    ends = [(text, goes_on(text)) for text, _ in ENDS]

    assert [row for row in ends if row not in ENDS] == []
    in_code = [text for text, end in ENDS if "…</code>" in render(text + end).replace("\n", "")]
    assert in_code == []
