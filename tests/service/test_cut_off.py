"""What shows that a reply goes on stands in no code."""

import pytest

from chat.markdown.rendering import render
from service.cut_off import goes_on


@pytest.mark.parametrize(
    ("text", "end"),
    [
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
    ],
)
def test_what_was_cut_off_goes_on_below_its_code(text: str, end: str):
    whole = text + goes_on(text)

    assert goes_on(text) == end
    assert whole.removeprefix(text) == end
    assert "…</code>" not in render(whole).replace("\n", "")
