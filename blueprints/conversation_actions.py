"""Actions on one conversation: rename, pin, archive, delete, restore."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode, urlsplit

from flask import Blueprint, redirect, request, url_for
from werkzeug.wrappers import Response

from web.container import portal
from web.person.current_person import person
from web.person.ownership import find_deleted_conversation, own_conversation

HIDING_ACTIONS = {"archived", "deleted"}
MAX_RETURN_URL_CHARACTERS = 2_000

bp = Blueprint("conversation_actions", __name__, url_prefix="/conversations/<conversation_id>")


@bp.post("/title")
def rename(conversation_id: str) -> Response:
    """Rename a conversation. An empty title restores the default title."""
    conversation = own_conversation(conversation_id)
    portal().conversations.rename(conversation, request.form.get("title", ""))
    return _redirect_back(conversation_id, "renamed")


@bp.post("/pin")
def pin(conversation_id: str) -> Response:
    """Pin or unpin a conversation."""
    conversation = own_conversation(conversation_id)
    pinned = request.form.get("pinned") == "1"
    portal().conversations.set_pinned(conversation, pinned=pinned)
    return _redirect_back(conversation_id, "pinned" if pinned else "unpinned")


@bp.post("/archive")
def archive(conversation_id: str) -> Response:
    """Archive a conversation, or move it back to the list."""
    conversation = own_conversation(conversation_id)
    archived = request.form.get("archived") == "1"
    portal().conversations.set_archived(conversation, archived=archived)
    return _redirect_back(conversation_id, "archived" if archived else "listed")


@bp.post("/deletion")
def delete(conversation_id: str) -> Response:
    """Delete a conversation. The list offers to undo the deletion."""
    if not find_deleted_conversation(conversation_id):
        own_conversation(conversation_id)
    portal().deletions.delete(conversation_id, person())
    return _redirect_back(conversation_id, "deleted")


@bp.post("/restoration")
def restore(conversation_id: str) -> Response:
    """Restore a deleted conversation. Repeating the request has the same result."""
    if find_deleted_conversation(conversation_id):
        portal().deletions.restore(conversation_id, person())
    conversation = own_conversation(conversation_id)
    return _redirect_back(conversation_id, "restored", is_archived=conversation.archived)


def _redirect_back(conversation_id: str, action: str, *, is_archived: bool = False) -> Response:
    """Redirect to the page that sent the form, which then shows a notice about the action.

    The page is the list or the conversation itself; any other URL is replaced by the list. Actions
    that hide a conversation always redirect to the list, where they can be undone.
    """
    list_url = url_for("conversations.index")
    try:
        return_url = urlsplit(request.form.get("back", "")[:MAX_RETURN_URL_CHARACTERS])
    except ValueError:
        return_url = urlsplit("")
    conversation_url = url_for("conversations.show", conversation_id=conversation_id)
    allowed_paths = {list_url} if action in HIDING_ACTIONS else {list_url, conversation_url}
    path, query = (
        (return_url.path, return_url.query) if return_url.path in allowed_paths else (list_url, "")
    )
    parameters = {**dict(parse_qsl(query)), "done": action, "conversation": conversation_id}
    if is_archived and path == list_url:
        parameters["view"] = "archived"
    return redirect(f"{path}?{urlencode(parameters)}", 303)
