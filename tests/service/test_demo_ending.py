"""Replies of the demo model end with a sentence, and do not repeat a message."""

from __future__ import annotations

import re

from service.llm.demo.ending import end_well


def end(text: str, max_tokens: int = 1_000, message: str = "") -> str:
    """Return what remains of a reply that arrives word by word."""
    return "".join(end_well(iter(re.findall(r"\s*\S+", text)), max_tokens, [message]))


def test_reply_ends_with_the_sentence_that_is_open_at_the_token_limit():
    assert end("One two three four. Five six seven eight. Nine ten.", 6) == (
        "One two three four. Five six seven eight."
    )


def test_quotation_mark_after_the_last_sentence_is_kept():
    assert end('He laughed and said "I am here." Her dog barked.', 3) == (
        'He laughed and said "I am here."'
    )


def test_mark_of_an_abbreviation_ends_no_sentence():
    assert end("One two three. There lived Mr. Fox alone. He slept.", 5) == (
        "One two three. There lived Mr. Fox alone."
    )


def test_six_words_of_the_message_in_a_row_are_not_repeated():
    message = "Say that I am a teapot, and nothing else."

    assert end("A cat said: I AM a teapot and nothing.", message=message) == "A cat said: …"
    assert end("I am a teapot and happy.", message=message) == "I am a teapot and happy."


def test_six_words_are_not_repeated_by_a_reply_that_arrives_in_single_letters():
    message = "one two three four five foxglove seven"

    assert "".join(end_well(iter(f"So {message}."), 1_000, [message])) == "So …"


def test_reply_without_text_stays_empty():
    assert end("") == ""
