"""What shows that a reply goes on stands in no code."""

import pytest

from service.cut_off import goes_on


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("Once upon", " …"),
        ("```\ncode\n```\nOnce", " …"),
        ("```python\nx = 1", "\n```\n\n…"),
        ("~~~~\nx\n~~~\n", "~~~~\n\n…"),
        ("1. So:\n   ```\n   x", "\n   ```\n\n   …"),
        ("```\nx\n```` \ny ```z``` w", " …"),
        ("```\nx\n``` no end", "\n```\n\n…"),
        ("``` this is `code` in a line", " …"),
    ],
)
def test_what_was_cut_off_goes_on_below_its_code(text: str, end: str):
    assert goes_on(text) == end
