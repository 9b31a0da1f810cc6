"""The piece of a text that shows a hit."""

from __future__ import annotations

import pytest

from chat.snippets import Pattern
from tests.chat.pieces import shown


@pytest.mark.parametrize(
    ("words", "q", "snippet"),
    [
        ("Die Straße am Fuß", ["fuss"], "Die Straße am [Fuß]"),
        ("Die große Tu\u0308r", ["tur"], "Die große [Tu\u0308r]"),
        ("<b>bold</b> & more", ["bold"], "<b>[bold]</b> & more"),
        ("nothing here", ["other"], "nothing here"),
        ("ab " * 200 + "end", ["end"], None),
        ("東京都" * 100, ["京都"], None),
    ],
)
def test_snippets_are_cut_around_a_hit(words: str, q: list[str], snippet: str | None):
    found = shown(Pattern(q).around(words))

    assert found == snippet if snippet else "[" in found
    assert len(found) < 350


def test_the_rarest_word_is_what_a_snippet_shows():
    words = "the end of the day " * 40 + "the lighthouse stood there " + "the end of it " * 40

    assert "[lighthouse]" in shown(Pattern(["the", "lighthouse"]).around(words))


@pytest.mark.parametrize(
    "piece",
    ["[", "![a", "](", '](a "', "*", "a*", "[^a", "> ", "# ", "\n> ", "|", "\n|", "`", "=", "\t"],
)
def test_a_snippet_of_a_text_of_signs_is_cut_like_any_other(piece: str):
    snippet = Pattern(["word"]).around(piece * 100_000 + " word", markdown=True)

    assert [part.text for part in snippet if part.hit] == ["word"]


@pytest.mark.parametrize(
    ("reply", "shown"),
    [
        (
            "word:\n\n```python\nif i > 1 and n**0.5 < 2 | 4: # x\n```",
            "word: python if i > 1 and n**0.5 < 2 | 4: # x",
        ),
        ("word: 2 > 1, a ** b, **so**, *it* is", "word: 2 > 1, a ** b, so , it is"),
        ('word [one](https://a.example/ "Two")[^n].\n\n[^n]: Three', "word one . Three"),
        ("## word\n\n* C# and `x`\n> > **so**", "word C# and x so"),
    ],
)
def test_a_snippet_leaves_alone_what_is_no_mark(reply: str, shown: str):
    snippet = Pattern(["word"]).around(reply, markdown=True)

    assert "".join(part.text for part in snippet) == shown


def test_a_snippet_of_a_reply_shows_words_and_no_marks():
    table = "Rivers:\n\n| River | Length |\n|---|---:|\n| Danube | 2850 |\n\n---\n\n> *Long* ones"
    snippet = Pattern(["danube"]).around(table, markdown=True)

    assert "".join(part.text for part in snippet) == "Rivers: River Length Danube 2850 Long ones"
