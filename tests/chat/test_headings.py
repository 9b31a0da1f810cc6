"""The headings of a reply within a saved conversation."""

import pytest

from chat.markdown.headings import lowered


@pytest.mark.parametrize(
    ("text", "shown"),
    [
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
    ],
)
def test_they_are_lowered_and_nothing_else_is(text: str, shown: str):
    assert lowered(text) == shown
