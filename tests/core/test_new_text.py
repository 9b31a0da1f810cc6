"""Pieces of a text that repeat the text so far."""

from __future__ import annotations

from twindow.core.new_text import NewText

LINE = "All work and no play makes Jack a dull boy.\n"


def whole_text(pieces: list[str]) -> str:
    new_text = NewText()
    return "".join([*map(new_text.feed, pieces), new_text.close()])


def test_text_so_far_in_each_piece_appears_once():
    for step in (1, 3, 7, 40):
        pieces = [LINE[:end] for end in range(step, len(LINE), step)]

        assert whole_text([*pieces, LINE, "", LINE]) == LINE
        assert whole_text([*pieces[:2], LINE]) == LINE
        assert whole_text([*pieces, LINE, "Another text."]) == f"{LINE}Another text."
        assert whole_text([pieces[0], *pieces[:2], LINE, LINE]) == LINE


def test_last_piece_that_repeats_the_whole_text_adds_nothing():
    pieces = [*LINE, "More", LINE + "More" + "."]

    assert whole_text(pieces) == LINE + "More."


REPETITIONS = [
    ["ha"] * 5,
    ["No", "No", ". No."],
    ["1", "10", " apples"],
    ["1", "10"],
    ["ha", "haha"],
    ["\n", "\n\n", "Hi"],
    [LINE] * 3,
    ["你", "你好", "吗"],
    [LINE, LINE[:5], LINE],
]


def test_text_that_repeats_itself_stays():
    assert [whole_text(pieces) for pieces in REPETITIONS] == list(map("".join, REPETITIONS))


def test_repeated_text_appears_while_it_grows():
    new_text = NewText()
    assert [new_text.feed(LINE[:end]) for end in (34, 36, 40)] == [
        LINE[:34],
        LINE[34:36],
        LINE[36:40],
    ]


def test_only_pieces_that_may_repeat_the_text_are_held_back():
    new_text = NewText()
    pieces = ["The", " th", "e", "e", "The"]
    assert [new_text.feed(piece) for piece in pieces] == pieces
