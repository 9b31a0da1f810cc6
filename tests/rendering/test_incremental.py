"""Incremental rendering: the page is the same however the reply is split into deltas."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.support.constructs import CONSTRUCTS
from tests.support.stream_reader import follow_reply, render_running, split_text
from twindow.rendering.render import render
from twindow.rendering.stream import open_block


@pytest.mark.parametrize("long", [open_block.FREEZE_LENGTH, 1])
def test_each_markdown_construct_in_pieces_renders_like_the_whole(
    long: int, monkeypatch: pytest.MonkeyPatch
):
    """A block longer than `long` characters is rendered in parts."""
    monkeypatch.setattr(open_block, "FREEZE_LENGTH", long)
    wrong = [each for text in CONSTRUCTS for each in follow_reply(text, [1, 2, 3, 7]).mismatches]

    assert wrong == []


DOCUMENTS = st.builds(
    lambda joint, parts: joint.join(parts),
    st.sampled_from(["\n", "\n\n"]),
    st.lists(st.sampled_from(CONSTRUCTS), min_size=1, max_size=6),
)
SIZES = st.lists(st.integers(1, 40), min_size=1, max_size=8)


@settings(max_examples=60)
@given(DOCUMENTS, SIZES, st.sampled_from([open_block.FREEZE_LENGTH, 1]))
@example("\n\n".join(CONSTRUCTS), [20], open_block.FREEZE_LENGTH)
@example("\n\n".join(CONSTRUCTS), [20], 1)
def test_documents_in_any_pieces_render_like_the_whole(text: str, sizes: list[int], long: int):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(open_block, "FREEZE_LENGTH", long)
        assert follow_reply(text, sizes).mismatches == []


ITEMS = "".join(f"- item {number} of a list that is long enough\n" for number in range(20))
LINES = "".join(f"line {number} of some text\n" for number in range(40))


CONTINUED = [
    [ITEMS, "- see [1] for more\n\n", "[1]", ": https://z.example\n"],
    [ITEMS, "- a claim.[^1]\n", "\n", "[^1]", ": The note.\n", "\nAfter.\n\n", "Bye."],
    [ITEMS, "- see [1]\n\n", "***\n\n", "[1]", ": https://z.example\n"],
    ["```\n" + LINES, "```\n", "\nDone."],
    ["```\n" + LINES, "```\n\n", "Done."],
    ["```\n" + LINES, "```\n"],
]


def test_text_after_a_long_block_renders_like_the_whole():
    wrong = [
        each
        for pieces in CONTINUED
        for each in follow_reply("".join(pieces), [len(piece) for piece in pieces]).mismatches
    ]

    assert wrong == []


def test_line_ends_that_arrive_in_pieces_are_single_line_ends():
    text = "a\r\n\rb\r\nc\rd\n\re"

    assert render_running(split_text(text, [1])) == render(text)
