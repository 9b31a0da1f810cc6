"""A reply while it is written: however its pieces are cut, the page comes to the same."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chat.entries import Batch, Delta, Progress
from chat.markdown.draft import Draft, shown
from chat.markdown.rendering import render
from tests.chat.constructs import CONSTRUCTS
from tests.chat.following import LONG, Reader, cut, follow, plain


@pytest.mark.parametrize("text", CONSTRUCTS)
@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_each_construct_comes_to_what_the_whole_render_says(text: str, size: int):
    assert follow(text, [size]).html == plain(render(text, "x"))


DOCUMENTS = st.builds(
    lambda joint, parts: joint.join(parts),
    st.sampled_from(["\n", "\n\n"]),
    st.lists(st.sampled_from(CONSTRUCTS), min_size=1, max_size=6),
)
SIZES = st.lists(st.integers(1, 40), min_size=1, max_size=8)


@settings(max_examples=40)
@given(DOCUMENTS, SIZES)
def test_documents_in_any_pieces_come_to_what_the_whole_render_says(text: str, sizes: list[int]):
    assert follow(text, sizes).html == plain(render(text, "x"))


@settings(max_examples=40)
@given(DOCUMENTS, SIZES, st.data())
def test_a_page_from_elsewhere_goes_on_from_its_cursor(text: str, sizes: list[int], data):
    log = cut(text, sizes)
    at = data.draw(st.integers(1, len(log)))
    page = shown(Batch(0, at, tuple(log[:at])), "x")

    reader = Reader(page.cursor, page.html)
    reader.hear(log, len(log))

    assert reader.html == plain(reader.draft.html)


@pytest.mark.parametrize("text", CONSTRUCTS)
def test_a_page_at_a_cursor_is_told_no_more_than_what_is_new(text: str):
    log = [Delta(f"Before.\n\n{text}\n\nAf"), Delta("ter.")]
    page = shown(Batch(0, 1, tuple(log[:1])), "x")

    reader = Reader(page.cursor, page.html)
    reader.hear(log, 2)

    assert (reader.anew, reader.sent) == (0, len("ter."))


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_a_long_reply_is_sent_about_once(text: str, monkeypatch: pytest.MonkeyPatch):
    # However slow the machine is: code that is not marked in time stays as it is.
    monkeypatch.setattr("chat.markdown.highlight.MAX_SECONDS", 60)
    reader = follow(text, [150])

    assert reader.html == plain(render(text, "x"))
    assert reader.sent <= 3 * len(text)
    assert reader.anew == 1  # the first time


@pytest.mark.parametrize("text", CONSTRUCTS)
@pytest.mark.parametrize("size", [1, 7])
def test_a_block_that_is_rendered_in_parts_comes_to_the_same(
    text: str, size: int, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("chat.markdown.block.LONG", 1)
    assert follow(text, [size]).html == plain(render(text, "x"))


ITEMS = "".join(f"- item {number} of a list that is long enough\n" for number in range(20))
LINES = "".join(f"line {number} of some text\n" for number in range(40))


@pytest.mark.parametrize(
    "pieces",
    [
        [ITEMS, "- see [1] for more\n\n", "[1]", ": https://z.example\n"],
        [ITEMS, "- a claim.[^1]\n", "\n", "[^1]", ": The note.\n", "\nAfter.\n\n", "Bye."],
        [ITEMS, "- see [1]\n\n", "***\n\n", "[1]", ": https://z.example\n"],
        ["```\n" + LINES, "```\n", "\nDone."],
        ["```\n" + LINES, "```\n\n", "Done."],
        ["```\n" + LINES, "```\n"],
    ],
)
def test_what_follows_a_long_block_leaves_it_as_the_whole_render_says(pieces: list[str]):
    text = "".join(pieces)
    assert follow(text, [len(piece) for piece in pieces]).html == plain(render(text, "x"))


def test_progress_between_changes_nothing():
    reader = Reader()
    log = [Delta("One"), Progress("thinking"), Delta(" **two**")]
    for number in (1, 2, 3):
        reader.hear(log, number)

    assert reader.html == "<p>One <strong>two</strong></p>"


@pytest.mark.fault("F73")
@pytest.mark.parametrize("columns", [20, 90, 1_000])
def test_a_table_is_sent_about_once(columns: int):
    text = "|a" * columns + "|\n" + "|-" * columns + "|\n" + f"|{'b' * 20}\n" * 1_000
    draft, sent = Draft("x"), 0
    for number, piece in enumerate(cut(text, [300])):
        draft.read(Batch(number, number + 1, (piece,)))
        sent += sum(len(change.html) for change in draft.changes())

    assert sent < 2 * len(render(text))
