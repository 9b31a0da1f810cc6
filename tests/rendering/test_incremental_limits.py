"""Bounds on the cost of incremental rendering, also for hostile replies."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.stream_reader import LONG_REPLIES, follow_reply, render_running, split_text
from twindow.rendering.formulas import MAX_FORMULAS
from twindow.rendering.render import max_html_length, render
from twindow.rendering.stream import open_block
from twindow.rendering.stream.incremental import CHUNK_LENGTH, IncrementalRenderer
from twindow.rendering.stream.open_block import MAX_RENDERED_LENGTH

PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


class Rendered:
    """The lengths of the sources of blocks that were rendered while open, and when they closed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.open, self.closed = [0], [0]
        for name, lengths in ("render_part", self.open), ("render", self.closed):
            recording = self._record(getattr(open_block, name), lengths)
            monkeypatch.setattr(open_block, name, recording)

    def _record(self, render: Callable[..., str], lengths: list[int]) -> Callable[..., str]:
        def recording(source: str, *arguments: object, **options: object) -> str:
            lengths.append(len(source))
            return render(source, *arguments, **options)

        return recording


@pytest.fixture
def rendered(monkeypatch: pytest.MonkeyPatch) -> Rendered:
    return Rendered(monkeypatch)


@pytest.mark.parametrize("text", LONG_REPLIES.values(), ids=LONG_REPLIES)
def test_blocks_of_a_long_reply_are_neither_rendered_nor_sent_again(text: str, rendered: Rendered):
    reader = follow_reply(text, [150])

    assert reader.mismatches == []
    assert reader.sent_characters <= 3 * len(text)
    assert reader.full_replacements == 0
    assert max(rendered.open) < 2_000
    assert sum(rendered.closed) <= len(text)


@pytest.mark.parametrize(("columns", "rows"), [(20, 1_000), (90, 1_000), (1_000, 200)])
def test_html_sent_for_a_large_table_is_less_than_twice_the_final_html(columns: int, rows: int):
    text = "|a" * columns + "|\n" + "|-" * columns + "|\n" + f"|{'b' * 20}\n" * rows
    renderer, sent = IncrementalRenderer("x"), 0
    for piece in split_text(text, [300]):
        renderer.append(piece)
        sent += sum(len(change.html) for change in renderer.next_patches())

    assert sent < 2 * renderer.html_length


def test_long_block_is_not_rendered_again_when_it_is_closed(rendered: Rendered):
    for line, element in (("- item\n", "<li>"), ("| a | b |\n", "<tr>")):
        start = "| a | b |\n|---|---|\n" if line[0] == "|" else ""
        count = 2 * MAX_RENDERED_LENGTH // len(line)
        html = render_running(split_text(start + line * count + "\n\n# End\n\nLast", [1_000]))

        assert html.count(element) == count + bool(start)
        assert html.endswith("<h3>End</h3><p>Last</p>")
        assert max(rendered.closed) <= MAX_RENDERED_LENGTH


def test_endless_paragraph_is_shown_as_plain_text(rendered: Rendered):
    text = "".join(f"${number}+x$ " for number in range(26_000))

    assert render_running(split_text(text, [1_000])).startswith("<pre>$0+x$ $1+x$ ")
    assert max(rendered.open) <= MAX_RENDERED_LENGTH


def test_late_reader_renders_only_the_current_state(rendered: Rendered):
    text = "A paragraph that grows and $x$ grows. " * 30
    render_running(split_text(text, [10]))

    assert rendered.open == [0, len(text)]


def test_trees_of_the_parser_are_freed():
    def grown_bytes() -> int:
        before = memory_bytes()
        renderer = IncrementalRenderer("x")
        for _ in range(700):
            renderer.append("a\n")
            renderer.next_patches()
        return memory_bytes() - before

    # Other threads of this process may need memory meanwhile.
    assert min(grown_bytes() for _ in range(3)) < 20_000_000


def memory_bytes() -> int:
    """Return the resident memory of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE_BYTES


@pytest.mark.parametrize("between", [" ", "\n\n", "\n- "])
def test_number_of_rendered_formulas_is_limited(between: str):
    text = between.join(f"${number}+x$" for number in range(10 * MAX_FORMULAS)) + "\n\nEnd"

    for html in (render(text, "x"), render_running(split_text(text, [1_000]))):
        assert html.count("<math") == MAX_FORMULAS
        assert f"<code>${10 * MAX_FORMULAS - 1}+x$</code>" in html


def test_deeply_nested_markdown_is_shown_as_plain_text():
    for depth, size in ((500, 40), (50_000, 50_000)):
        reader = follow_reply(("> " * depth + "x\n") * 2, [size])

        assert reader.mismatches == []
        assert reader.html.startswith("<pre>")


@pytest.mark.parametrize("block", ["```\n```\n\n", "- \n\n1. \n\n", "|a\n|-\n\nb\n\n"])
def test_html_of_a_running_reply_is_limited(block: str):
    text = block * (300_000 // len(block))
    html = render_running(split_text(text, [1_000]))

    assert len(html) < max_html_length(len(text)) + max_html_length(CHUNK_LENGTH)
