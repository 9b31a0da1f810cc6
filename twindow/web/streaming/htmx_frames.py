"""HTML of stream frames for htmx: reply patches, progress, and the end of a reply."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from flask import render_template

from twindow.chat.log import Reply
from twindow.chat.turns import Turn
from twindow.rendering.stream import DomPatch
from twindow.twinapi import Progress


def render_patches(position: int, patches: Iterable[DomPatch]) -> str:
    """Render patches for the reply at `position` in the conversation."""
    return "".join(_render_patch(position, patch) for patch in patches)


def render_progress(turn: Turn, progress: Progress | None, *, has_text: bool) -> str:
    """Render the progress of a reply; without progress, a waiting notice or nothing."""
    return render_template(
        "turns/_progress_patch.html", turn=turn, progress=progress, has_text=has_text
    )


def render_end(turn: Turn, reply: Reply, html: str, patches: Sequence[DomPatch] | None) -> str:
    """Render the end of a reply: patches and footer, or the whole turn if `patches` is None."""
    template = "turns/_replace_patch.html" if patches is None else "turns/_end_patch.html"
    end = render_template(template, turn=turn, reply=reply, reply_html=html, message=turn.content)
    return render_patches(turn.position, patches or ()) + end


def _render_patch(position: int, patch: DomPatch) -> str:
    descendants = ">:last-child" * (patch.depth - 1)
    if patch.depth:
        descendants += (
            ">:last-child"
            if patch.nth_last_child == 1
            else f">:nth-last-child({patch.nth_last_child})"
        )
    # Keep this short: it is sent for each change of a reply.
    target = f"#r{position}{descendants}"
    return f'<hx-partial hx-target="{target}" hx-swap="{patch.swap}">{patch.html}</hx-partial>'
