"""Rendering of running replies from their log."""

from __future__ import annotations

from chat.log import Batch, Delta
from rendering.stream import IncrementalRenderer


def append_batch(renderer: IncrementalRenderer, batch: Batch) -> None:
    """Append the entries of a batch to the renderer, except those that it already has."""
    for number, entry in enumerate(batch.entries, batch.after + 1):
        if number <= renderer.cursor:
            continue
        renderer.append(number, entry.text if isinstance(entry, Delta) else "")


def render_running(batch: Batch, scope: str) -> str:
    """Return the HTML of a running reply from its whole log.

    `scope` makes the ids of footnotes unique among the replies of a page.
    """
    renderer = IncrementalRenderer(scope)
    append_batch(renderer, batch)
    return renderer.html
