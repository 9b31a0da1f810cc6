"""Rendering of long texts in a child process."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.waiting import wait_until
from twindow.rendering import RenderProcess, render, render_plain
from twindow.rendering.render_process import LONG_TEXT_LENGTH, RendererClosed

pytestmark = pytest.mark.usefixtures("processes")

LONG_TEXT = "A *long* reply with a note[^1] and “quotes”.\n\n" * 400 + "[^1]: Note\n"
NEVER = 1_000.0


@pytest.fixture
def renderer() -> Iterator[RenderProcess]:
    with closing(RenderProcess(timeout=NEVER, idle_seconds=NEVER)) as renderer:
        yield renderer


@pytest.fixture
def child_pids() -> Callable[[], list[int]]:
    """Return a function that returns the child processes that render for this test."""

    def find() -> set[int]:
        children = Path(f"/proc/{os.getpid()}/task").glob("*/children")
        pids = {int(pid) for path in children for pid in path.read_text().split()}
        return {pid for pid in pids if b"rendering" in Path(f"/proc/{pid}/cmdline").read_bytes()}

    others = find()
    return lambda: list(find() - others)


def test_long_text_is_rendered_in_a_child_process_and_a_short_one_is_not(
    renderer: RenderProcess, child_pids: Callable[[], list[int]]
):
    assert renderer.render("*Short*", "a") == render("*Short*", "a")
    assert child_pids() == []
    assert len(LONG_TEXT) > LONG_TEXT_LENGTH
    assert renderer.render(LONG_TEXT, "a") == render(LONG_TEXT, "a")
    assert len(child_pids()) == 1


def test_killed_child_process_is_replaced(
    renderer: RenderProcess, child_pids: Callable[[], list[int]]
):
    renderer.render(LONG_TEXT, "a")
    [pid] = child_pids()
    os.kill(pid, signal.SIGKILL)

    assert renderer.render(LONG_TEXT, "b") == render(LONG_TEXT, "b")
    assert pid not in child_pids()


def test_text_that_takes_too_long_is_shown_as_plain_text(child_pids: Callable[[], list[int]]):
    with closing(RenderProcess(timeout=0.001, idle_seconds=NEVER)) as renderer:
        assert renderer.render(LONG_TEXT, "a") == render_plain(LONG_TEXT)
        assert child_pids() == []


def test_idle_child_process_ends_and_another_one_renders_the_next_text(
    child_pids: Callable[[], list[int]],
):
    with closing(RenderProcess(timeout=NEVER, idle_seconds=0.05)) as renderer:
        renderer.render(LONG_TEXT, "a")
        [pid] = child_pids()
        wait_until(lambda: "Z" in Path(f"/proc/{pid}/stat").read_text().split())

        assert renderer.render(LONG_TEXT, "b") == render(LONG_TEXT, "b")


def test_stop_does_not_wait_for_a_rendering_and_starts_no_new_child_process(
    renderer: RenderProcess, child_pids: Callable[[], list[int]]
):
    renderer.render(LONG_TEXT, "a")
    [pid] = child_pids()
    os.kill(pid, signal.SIGSTOP)  # the stopped child cannot render the next text
    with ThreadPoolExecutor(1) as pool:
        rendering = pool.submit(renderer.render, LONG_TEXT, "a")
        renderer.close()
        with pytest.raises(RendererClosed):
            rendering.result()

    assert child_pids() == []
    with pytest.raises(RendererClosed):
        renderer.render(LONG_TEXT, "a")
