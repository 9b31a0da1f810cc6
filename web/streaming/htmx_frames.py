"""What goes to a page that shows a reply: its HTML bit by bit, what is being done, and its end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from flask import render_template

from chat.log.entries import Entry, Progress, Reply
from chat.turns import Turn
from rendering.stream.dom_patch import Change
from web import idempotency_keys


def text(position: int, changes: Iterable[Change]) -> str:
    """Change the HTML of the reply at a position of the conversation on the page."""
    return "".join(_swap(position, change) for change in changes)


def progress(turn: Turn, entries: Sequence[Entry], *, has_text: bool) -> str:
    """Say what the service does last, if it says anything."""
    last = next((e for e in reversed(entries) if isinstance(e, Progress)), None)
    return render_template("turns/_doing.html", turn=turn, progress=last, has_text=has_text)


def end(turn: Turn, reply: Reply, changes: Sequence[Change] | None) -> str:
    """End a reply: by what changes, or as a whole for a page that shows something unknown."""
    if changes is None:
        return render_template(
            "turns/_swap.html", turn=turn, reply=reply, key=idempotency_keys.fresh_key()
        )
    foot = render_template(
        "turns/_end.html", turn=turn, reply=reply, key=idempotency_keys.fresh_key()
    )
    return text(turn.position, changes) + foot


def _swap(position: int, change: Change) -> str:
    below = ">:last-child" * (change.depth - 1)
    if change.depth:
        below += ">:last-child" if change.child == 1 else f">:nth-last-child({change.child})"
    # Short, because there is one for each bit of a reply.
    target = f"#r{position}{below}"
    return f'<hx-partial hx-target="{target}" hx-swap="{change.swap}">{change.html}</hx-partial>'
