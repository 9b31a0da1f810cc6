"""Words without case and accents, as a search compares them."""

from __future__ import annotations

from twindow.core.text_folding import fold


def test_text_is_folded_once_and_for_all():
    for text in ("Émile", "Straße", "İ", "ﬁ", "ĐÞ"):
        assert fold(fold(text)) == fold(text)
    assert fold("É" * 3_000) == "e" * 3_000


def test_character_that_stands_for_a_phrase_is_folded_into_a_space():
    assert fold("a\ufdfab") == "a b"


def test_letter_with_many_combining_marks_is_folded():
    assert fold("a" + "\u0315\u0301" * 200_000).startswith("a")
