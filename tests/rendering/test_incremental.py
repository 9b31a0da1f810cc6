"""Incremental rendering: the page is the same however the reply is split into deltas."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rendering.stream import open_block
from rendering.stream.incremental import IncrementalRenderer
from tests.rendering.constructs import CONSTRUCTS
from tests.rendering.stream_reader import (
    LONG_REPLIES,
    follow_reply,
    split_text,
)


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


@pytest.mark.parametrize("text", LONG_REPLIES.values(), ids=LONG_REPLIES)
def test_html_sent_for_a_long_reply_is_at_most_three_times_its_text(text: str):
    reader = follow_reply(text, [150])

    assert reader.mismatches == []
    assert reader.sent_characters <= 3 * len(text)
    assert reader.full_replacements == 0


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


@pytest.mark.parametrize(("columns", "rows"), [(20, 1_000), (90, 1_000), (1_000, 200)])
def test_html_sent_for_a_large_table_is_less_than_twice_the_final_html(columns: int, rows: int):
    text = "|a" * columns + "|\n" + "|-" * columns + "|\n" + f"|{'b' * 20}\n" * rows
    renderer, sent = IncrementalRenderer("x"), 0
    for piece in split_text(text, [300]):
        renderer.append(piece)
        sent += sum(len(change.html) for change in renderer.next_patches())

    assert sent < 2 * renderer.html_length
