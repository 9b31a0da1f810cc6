"""Snippets: the part of a text around a search hit."""

from __future__ import annotations

from tests.chat.snippet_text import format_snippet
from twindow.chat.search.snippets import SearchPattern

SNIPPETS = [
    ("Die Straße am Fuß", ["fuss"], "Die Straße am [Fuß]"),
    ("Die große Tu\u0308r", ["tur"], "Die große [Tu\u0308r]"),
    ("<b>bold</b> & more", ["bold"], "<b>[bold]</b> & more"),
    ("か\u3099くせい と 東京", ["東京"], "か\u3099くせい と [東京]"),
    ("nothing here", ["other"], "nothing here"),
    ("ab " * 200 + "end", ["end"], None),
    ("東京都" * 100, ["京都"], None),
]


def test_snippets_are_cut_around_a_hit():
    wrong = []
    for words, q, snippet in SNIPPETS:
        found = format_snippet(SearchPattern(q).snippet(words))
        fits = found == snippet if snippet else "[" in found
        if not fits or len(found) >= 350:
            wrong.append((words, found))

    assert wrong == []


def test_snippet_shows_the_rarest_search_word():
    words = "the end of the day " * 40 + "the lighthouse stood there " + "the end of it " * 40

    assert "[lighthouse]" in format_snippet(SearchPattern(["the", "lighthouse"]).snippet(words))


SIGNS = [
    "[",
    "![a",
    "](",
    '](a "',
    "*",
    "a*",
    "[^a",
    "> ",
    "# ",
    "\n> ",
    "|",
    "\n|",
    "`",
    "=",
    "\t",
]


def test_text_of_repeated_markup_characters_still_has_a_snippet():
    wrong = []
    for piece in SIGNS:
        snippet = SearchPattern(["word"]).snippet(piece * 100_000 + " word", is_markdown=True)
        if [part.text for part in snippet if part.is_hit] != ["word"]:
            wrong.append(piece)

    assert wrong == []


REPLIES = [
    (
        "word:\n\n```python\nif i > 1 and n**0.5 < 2 | 4: # x\n```",
        "word: python if i > 1 and n**0.5 < 2 | 4: # x",
    ),
    ("word: 2 > 1, a ** b, **so**, *it* is", "word: 2 > 1, a ** b, so, it is"),
    ('word [one](https://a.example/ "Two")[^n].\n\n[^n]: Three', "word one. Three"),
    ("## word\n\n* C# and `x`\n> > **so**", "word C# and x so"),
]


def test_snippets_remove_only_markdown_syntax():
    found = [
        (
            reply,
            "".join(part.text for part in SearchPattern(["word"]).snippet(reply, is_markdown=True)),
        )
        for reply, _ in REPLIES
    ]

    assert found == REPLIES


def test_snippet_of_a_table_contains_text_without_markdown_syntax():
    table = "Rivers:\n\n| River | Length |\n|---|---:|\n| Danube | 2850 |\n\n---\n\n> *Long* ones"
    snippet = SearchPattern(["danube"]).snippet(table, is_markdown=True)

    assert "".join(part.text for part in snippet) == "Rivers: River Length Danube 2850 Long ones"
