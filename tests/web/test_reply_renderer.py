"""The renderer of a running reply, which all its readers share."""

from __future__ import annotations

from contextlib import ExitStack

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.clock import AdjustableClock
from tests.support.constructs import CONSTRUCTS
from tests.support.html import parse_html
from tests.support.processor import Processor
from tests.support.stream_reader import normalize_html, normalized_contents, split_text
from tests.support.turn_dom import TurnDom
from twindow.chat.log.entries import Batch
from twindow.rendering.render import render
from twindow.rendering.stream.dom_patch import DomPatch
from twindow.rendering.stream.incremental import IncrementalRenderer
from twindow.rendering.stream.open_block import OpenBlock
from twindow.twinapi import Delta, Progress
from twindow.web.streaming import htmx_frames
from twindow.web.streaming.reply_renderer import (
    MAX_STORED_UPDATES,
    MIN_STORED_CHARACTERS,
    PageCursor,
    ReplyRenderer,
    ReplyRenderers,
    Update,
)


def new_renderer() -> ReplyRenderer:
    """Return a renderer whose work costs nothing."""
    return ReplyRenderer("x", Processor().new_budget())


def at(running: ReplyRenderer, seq: int) -> PageCursor:
    """Return the cursor of a page whose HTML this renderer has made."""
    return PageCursor(seq, running.rendered.renderer_id)


def batch(pieces: list[str], end: int | None = None) -> Batch:
    """Return the batch of the first `end` pieces, by default of all."""
    entries = tuple(Delta(piece) for piece in pieces[:end])
    return Batch(0, len(entries), entries)


class PageOfReply:
    """A page that shows a reply at a cursor, and applies updates."""

    def __init__(self, html: str = "", cursor: int = 0) -> None:
        self.dom = TurnDom("x")
        self.dom.reply.extend(list(parse_html(f"<pre>{html}</pre>").pre.contents))
        self.cursor = cursor

    def apply(self, update: Update) -> None:
        self.dom.apply_frame(parse_html(htmx_frames.render_patches(1, update.patches)))
        self.cursor = update.cursor

    @property
    def html(self) -> str:
        return normalized_contents(self.dom.reply)


def test_reply_is_rendered_once_for_all_readers(
    monkeypatch: pytest.MonkeyPatch,
):
    rendered: list[str] = []
    render_source = OpenBlock._render_source

    def counting(block: OpenBlock, source: str) -> str:
        rendered.append(source)
        return render_source(block, source)

    monkeypatch.setattr("twindow.rendering.stream.open_block.OpenBlock._render_source", counting)
    costs = []
    for reader_count in (1, 240):
        rendered.clear()
        running = new_renderer()
        pieces = split_text("A formula $x$ and another $y$. " * 20, [40])
        for end in range(1, len(pieces) + 1):
            for _ in range(reader_count):
                running.render(batch(pieces, end))
        costs.append(len(rendered))

    assert costs == [len(pieces), len(pieces)]


DOCUMENTS = st.lists(st.sampled_from(CONSTRUCTS), min_size=1, max_size=5).map("\n\n".join)


@settings(max_examples=60)
@given(DOCUMENTS, st.lists(st.integers(1, 40), min_size=1, max_size=8), st.data())
def test_page_at_any_cursor_reaches_the_current_html_and_the_final_html(
    text: str, sizes: list[int], data: st.DataObject
):
    running, pieces = new_renderer(), split_text(text, sizes)
    joins_at = data.draw(st.integers(0, len(pieces)))
    page = PageOfReply()
    for end in range(1, len(pieces) + 1):
        rendered = running.render(batch(pieces, end))
        if end == joins_at:
            page = PageOfReply(rendered.html.full_html, rendered.cursor)
    rendered = running.render(batch(pieces))
    updates = rendered.updates_after(at(running, page.cursor))
    for update in [rendered.replacement] if updates is None else updates:
        page.apply(update)

    assert page.html == normalize_html(rendered.html.full_html)

    final_html = render(text, "x")
    page.apply(Update(page.cursor, page.cursor, running.finish(final_html)))

    assert page.html == normalize_html(final_html)


def test_reader_takes_only_the_updates_after_its_cursor():
    running = new_renderer()
    for end in (1, 2, 3):
        rendered = running.render(batch(["One", " two", " three"], end))

    updates = rendered.updates_after(at(running, 1)) or ()

    assert [(update.after, update.cursor) for update in updates] == [(1, 2), (2, 3)]
    assert [patch.html for update in updates for patch in update.patches] == [" two", " three"]


def test_reader_at_an_unknown_cursor_gets_one_update_that_replaces_everything():
    running = new_renderer()
    running.render(batch(["One", " two", " three"], 2))
    rendered = running.render(batch(["One", " two", " three"]))

    assert [rendered.updates_after(at(running, cursor)) for cursor in (0, 1, 99)] == [None] * 3
    assert rendered.updates_after(at(running, 3)) == ()
    assert rendered.replacement.cursor == 3
    [patch] = rendered.replacement.patches
    assert (patch.swap, patch.html) == ("updateInner", "<p>One two three</p>")


@pytest.mark.limit("L65")
def test_updates_become_rarer_if_rendering_is_expensive(monkeypatch: pytest.MonkeyPatch):
    """Forty readers pass an entry every 50 ms; rendering it takes 90 ms of CPU time."""
    processor = Processor()
    next_patches = IncrementalRenderer.next_patches

    def expensive(renderer: IncrementalRenderer) -> tuple[DomPatch, ...]:
        processor.work(0.09)
        return next_patches(renderer)

    monkeypatch.setattr(IncrementalRenderer, "next_patches", expensive)
    running, pieces = ReplyRenderer("x", processor.new_budget()), ["word "] * 400
    cursors = set()
    for end in range(1, len(pieces) + 1):
        for _ in range(40):
            cursors.add(running.render(batch(pieces, end)).cursor)
        processor.sleep(0.05)

    assert processor.used <= 0.1 * (processor.now - 1_000) + 0.1
    assert len(cursors) > 20

    processor.sleep(2)
    assert running.render(batch(pieces)).cursor == len(pieces)


def test_long_reply_that_is_new_to_the_process_is_rendered_in_steps(
    monkeypatch: pytest.MonkeyPatch,
):
    processor = Processor()
    process_chunk = IncrementalRenderer.process_chunk

    def expensive(renderer: IncrementalRenderer) -> None:
        processor.work(0.02)
        process_chunk(renderer)

    monkeypatch.setattr(IncrementalRenderer, "process_chunk", expensive)
    running, pieces = ReplyRenderer("x", processor.new_budget()), ["x" * 3_998 + "\n\n"] * 10
    first = running.render(batch(pieces))
    cursors = [first.cursor]
    while running.is_behind:
        assert running.seconds_to_wait <= 0.2
        processor.sleep(running.seconds_to_wait)
        cursors.append(running.render(batch(pieces)).cursor)

    assert cursors == list(range(1, 11))


def test_failed_comparison_replaces_everything_and_repeats_nothing(
    monkeypatch: pytest.MonkeyPatch,
):
    running = new_renderer()
    running.render(batch(["One"]))
    with monkeypatch.context() as patch:
        patch.setattr("twindow.rendering.stream.incremental.diff", lambda *_: 1 / 0)
        [update] = running.render(batch(["One", " two"])).updates_after(at(running, 1)) or ()
    rendered = running.render(batch(["One", " two", " three"]))

    assert [patch.html for patch in update.patches] == ["<p>One two</p>"]
    assert rendered.html.full_html == "<p>One two three</p>"


def test_update_names_its_latest_progress():
    running = new_renderer()
    entries = (Progress("reading"), Delta("One"), Progress("writing"), Delta(" two"))
    for end in (1, 3, 4):
        rendered = running.render(Batch(0, end, entries[:end]))

    updates = rendered.updates_after(at(running, 1)) or ()
    assert [update.progress for update in updates] == [Progress("writing"), None]


@pytest.mark.parametrize("piece", ["x", "word " * 100, "\n\n- item " * 5])
def test_stored_updates_are_limited_in_number_and_length(piece: str):
    running = new_renderer()
    for number in range(10 * MAX_STORED_UPDATES):
        rendered = running.render(Batch(number, number + 1, (Delta(piece),)))
        length = sum(len(patch.html) for each in rendered.updates for patch in each.patches)

        assert len(rendered.updates) <= MAX_STORED_UPDATES
        assert length <= max(MIN_STORED_CHARACTERS, len(rendered.html.full_html))
    assert rendered.updates


def test_nothing_is_rendered_after_the_end():
    running = new_renderer()
    running.render(batch(["One"]))
    patches = running.finish("<p>One two</p>")

    rendered = running.render(batch(["One", " two"]))

    assert (rendered.cursor, rendered.html.full_html) == (1, "<p>One</p>")
    assert [patch.html for patch in patches] == [" two"]


def test_reply_is_shared_until_its_last_reader_leaves_and_its_writer_has_ended_it():
    written_here = {"1"}
    replies = ReplyRenderers(AdjustableClock(), written_here.__contains__)
    with ExitStack() as readers:
        local, remote = (
            [readers.enter_context(replies.open(turn_id, turn_id)) for _ in range(2)]
            for turn_id in ("1", "2")
        )
    with replies.open("1", "1") as local_again, replies.open("2", "2") as remote_again:
        assert local == [local_again] * 2
        assert remote[0] is remote[1] is not remote_again

    written_here.clear()
    with replies.open("1", "1") as after_the_end:
        assert after_the_end is not local_again
