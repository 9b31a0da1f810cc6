"""Where a conversation stands in the list, and under which title."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode, urlsplit

from flask import Blueprint, redirect, request, url_for
from werkzeug.wrappers import Response

from web.container import own_conversation, portal

PUT_AWAY = {"archived", "deleted"}
# More than any address of ours.
MAX_PLACE = 2_000

bp = Blueprint("shelf", __name__, url_prefix="/conversations/<conversation_id>")


@bp.post("/title")
def rename(conversation_id: str) -> Response:
    """Give it another title; without one it gets its first words back."""
    conversation = own_conversation(conversation_id)
    portal().conversations.rename(conversation, request.form.get("title", ""))
    return back(conversation_id, "renamed")


@bp.post("/pin")
def pin(conversation_id: str) -> Response:
    """Keep it above the others, or no longer."""
    conversation = own_conversation(conversation_id)
    pinned = request.form.get("pinned") == "1"
    portal().conversations.pin(conversation, pinned=pinned)
    return back(conversation_id, "pinned" if pinned else "unpinned")


@bp.post("/archive")
def archive(conversation_id: str) -> Response:
    """Put it away, or back into the list."""
    conversation = own_conversation(conversation_id)
    archived = request.form.get("archived") == "1"
    portal().conversations.archive(conversation, archived=archived)
    return back(conversation_id, "archived" if archived else "listed")


def back(conversation_id: str, what: str, *, archived: bool = False) -> Response:
    """Lead to where the form stood, which says what was done: a list, or the conversation itself.

    What is put away leads to the list: that is where it can be undone.
    """
    index = url_for("conversations.index")
    try:
        place = urlsplit(request.form.get("back", "")[:MAX_PLACE])
    except ValueError:
        place = urlsplit("")
    own = url_for("conversations.show", conversation_id=conversation_id)
    known = {index} if what in PUT_AWAY else {index, own}
    path, query = (place.path, place.query) if place.path in known else (index, "")
    told = {**dict(parse_qsl(query)), "done": what, "of": conversation_id}
    if archived and path == index:
        told["view"] = "archived"
    return redirect(f"{path}?{urlencode(told)}", 303)
