"""Bounds on the cost of incremental rendering, also for hostile replies."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rendering.formulas import MAX_FORMULAS, MathBudget
from rendering.render import max_html_length, render
from rendering.stream.incremental import CHUNK_LENGTH, IncrementalRenderer
from rendering.stream.open_block import MAX_RENDERED_LENGTH, OpenBlock
from tests.rendering.stream_reader import LONG_REPLIES, follow_reply, render_running, split_text

PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


def test_trees_of_the_parser_are_freed():
    before = memory_bytes()
    renderer = IncrementalRenderer("x")
    for _ in range(700):
        renderer.append("a\n")
        renderer.next_patches()

    assert memory_bytes() - before < 20_000_000


def memory_bytes() -> int:
    """Return the resident memory of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE_BYTES


def test_closed_blocks_are_not_rendered_again(monkeypatch: pytest.MonkeyPatch):
    rendered: list[int] = []
    closed: list[int] = []
    html_of = OpenBlock._render_source

    def counting(block, source: str) -> str:
        rendered.append(len(source))
        return html_of(block, source)

    def closing(source: str, scope: str, room: MathBudget) -> str:
        closed.append(len(source))
        return render(source, scope, room)

    monkeypatch.setattr("rendering.stream.open_block.OpenBlock._render_source", counting)
    monkeypatch.setattr("rendering.stream.open_block.render", closing)
    for text in LONG_REPLIES.values():
        rendered.clear()
        closed.clear()
        renderer = IncrementalRenderer("x")
        for piece in split_text(text, [50]):
            renderer.append(piece)
            renderer.next_patches()
        assert max(rendered) < 2_000
        assert sum(closed) <= len(text)


def test_endless_paragraph_is_shown_as_plain_text(monkeypatch: pytest.MonkeyPatch):
    rendered: list[int] = []
    html_of = OpenBlock._render_source

    def counting(block, source: str) -> str:
        rendered.append(len(source))
        return html_of(block, source)

    monkeypatch.setattr("rendering.stream.open_block.OpenBlock._render_source", counting)
    text = "".join(f"${number}+x$ " for number in range(26_000))
    assert render_running(split_text(text, [1_000])).startswith("<pre>$0+x$ $1+x$ ")
    assert max(rendered, default=0) <= MAX_RENDERED_LENGTH


@pytest.mark.parametrize("between", [" ", "\n\n", "\n- "])
def test_number_of_rendered_formulas_is_limited(between: str):
    text = between.join(f"${number}+x$" for number in range(10 * MAX_FORMULAS)) + "\n\nEnd"

    for html in (render(text, "x"), render_running(split_text(text, [1_000]))):
        assert html.count("<math") == MAX_FORMULAS
        assert f"<code>${10 * MAX_FORMULAS - 1}+x$</code>" in html


def test_late_reader_renders_only_the_current_state(monkeypatch: pytest.MonkeyPatch):
    pieces = split_text("A paragraph that grows and $x$ grows. " * 30, [10])
    rendered: list[str] = []
    html_of = OpenBlock._render_source

    def counting(block, source: str) -> str:
        rendered.append(source)
        return html_of(block, source)

    monkeypatch.setattr("rendering.stream.open_block.OpenBlock._render_source", counting)
    render_running(pieces)

    assert len(rendered) == 1


def test_deeply_nested_markdown_is_shown_as_plain_text():
    text = "> " * 500 + "x"
    reader = follow_reply(text, [40])

    assert reader.mismatches == []
    assert "<blockquote>" not in reader.html


def test_long_block_is_not_rendered_again_when_it_is_closed(monkeypatch: pytest.MonkeyPatch):
    closed: list[int] = []

    def closing(source: str, scope: str, room: MathBudget) -> str:
        closed.append(len(source))
        return render(source, scope, room)

    monkeypatch.setattr("rendering.stream.open_block.render", closing)
    for line, element in (("- item\n", "<li>"), ("| a | b |\n", "<tr>")):
        start = "| a | b |\n|---|---|\n" if line[0] == "|" else ""
        count = 2 * MAX_RENDERED_LENGTH // len(line)
        html = render_running(split_text(start + line * count + "\n\n# End\n\nLast", [1_000]))

        assert html.count(element) == count + bool(start)
        assert html.endswith("<h3>End</h3><p>Last</p>")
        assert max(closed, default=0) <= MAX_RENDERED_LENGTH


@pytest.mark.parametrize("block", ["```\n```\n\n", "- \n\n1. \n\n", "|a\n|-\n\nb\n\n"])
def test_html_of_a_running_reply_is_limited(block: str):
    text = block * (300_000 // len(block))
    html = render_running(split_text(text, [1_000]))

    assert len(html) < max_html_length(len(text)) + max_html_length(CHUNK_LENGTH)


def test_reply_that_is_nested_too_deeply_does_not_overflow_the_stack():
    html = render_running(["> " * 50_000 + "x\n", "> " * 50_000 + "y\n"])

    assert "x" in html
