"""Render a running reply from its log."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from chat.log import Batch, Delta, Reply, build_reply
from rendering.stream import IncrementalRenderer

# A late reader has many entries to render: pause after so many, so that other threads run.
ENTRIES_PER_PAUSE = 32


def append_batch(
    renderer: IncrementalRenderer, batch: Batch, pause: Callable[[float], None] = time.sleep
) -> None:
    """Append the entries of a batch that the renderer does not have yet."""
    for number, entry in enumerate(batch.entries, batch.after + 1):
        if number <= renderer.cursor:
            continue
        renderer.append(number, entry.text if isinstance(entry, Delta) else "")
        if number % ENTRIES_PER_PAUSE == 0:
            pause(0)


def render_reply(batch: Batch, scope: str) -> Reply:
    """Return the reply of a whole log, with the HTML of a reply that is still running.

    `scope` keeps the footnotes of several replies on one page apart.
    """
    reply = build_reply(batch)
    if not (reply.is_running and reply.text):
        return reply
    renderer = IncrementalRenderer(scope)
    append_batch(renderer, batch)
    return replace(reply, html=renderer.html)
