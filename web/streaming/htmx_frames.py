"""What goes to a page that shows a reply: its HTML bit by bit, what is being done, and its end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from flask import render_template

from chat.log import Entry, Progress, Reply
from chat.turns import Turn
from rendering.stream import DomPatch
from web import message_form


def render_patches(position: int, patches: Iterable[DomPatch]) -> str:
    """Change the HTML of the reply at a position of the conversation on the page."""
    return "".join(_render_patch(position, patch) for patch in patches)


def render_progress(turn: Turn, entries: Sequence[Entry], *, has_text: bool) -> str:
    """Say what the service does last, if it says anything."""
    latest = next((e for e in reversed(entries) if isinstance(e, Progress)), None)
    return render_template(
        "turns/_progress_patch.html", turn=turn, progress=latest, has_text=has_text
    )


def render_end(turn: Turn, reply: Reply, patches: Sequence[DomPatch] | None) -> str:
    """End a reply: by what changes, or as a whole for a page that shows something unknown."""
    if patches is None:
        return render_template(
            "turns/_replace_patch.html",
            turn=turn,
            reply=reply,
            key=message_form.new_idempotency_key(),
        )
    footer = render_template(
        "turns/_end_patch.html", turn=turn, reply=reply, key=message_form.new_idempotency_key()
    )
    return render_patches(turn.position, patches) + footer


def _render_patch(position: int, patch: DomPatch) -> str:
    descendants = ">:last-child" * (patch.depth - 1)
    if patch.depth:
        descendants += (
            ">:last-child"
            if patch.nth_last_child == 1
            else f">:nth-last-child({patch.nth_last_child})"
        )
    # Short, because there is one for each bit of a reply.
    target = f"#r{position}{descendants}"
    return f'<hx-partial hx-target="{target}" hx-swap="{patch.swap}">{patch.html}</hx-partial>'
