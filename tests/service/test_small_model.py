"""Replies of the bundled model: no loops, and an end with a sentence."""

from __future__ import annotations

import re

import pytest

from service.llm import small_model


def finish(text: str, max_tokens: int = 1_000) -> str:
    """Return what remains of a reply that arrives word by word."""
    return "".join(small_model.finish_well(iter(re.findall(r"\s*\S+", text)), max_tokens))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A cat sat on the mat. It was happy. A cat sat on the mat. It", 36),
        ("A cat sat on the mat. A cat sat on the mat.", 22),
        ("It ran on and on and on and on and on and on", 32),
    ],
)
def test_loop_is_cut_off(text: str, expected: int):
    assert len(finish(text)) <= expected


@pytest.mark.parametrize(
    "text",
    [
        "A cat sat on the mat. A cat sat on the sofa.",
        "Yes. Yes. Yes, it is.",
        "if x:\n        return False\n    while x:\n        return False\n    return True",
        "| a | b | c |\n| --- | --- | --- |\n| 1 | 2 | 3 |\n\n| d |\n| --- | --- | --- |\n| 4 |",
    ],
)
def test_text_without_a_loop_is_unchanged(text: str):
    assert finish(text) == text


def test_reply_without_text_stays_without_pieces():
    assert list(small_model.finish_well(iter(()), 10)) == []


def test_reply_ends_with_the_sentence_that_is_open_at_the_token_limit():
    assert finish("One two three four. Five six seven eight. Nine ten.", 6) == (
        "One two three four. Five six seven eight."
    )


def test_quotation_mark_after_the_last_sentence_is_kept():
    assert finish('He laughed and said "I am here." Her dog barked.', 3) == (
        'He laughed and said "I am here."'
    )
