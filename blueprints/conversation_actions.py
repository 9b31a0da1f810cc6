"""Actions on one conversation: rename, pin, archive, delete, restore."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode, urlsplit

from flask import Blueprint, current_app, redirect, request, url_for
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response as BaseResponse

from twindow.web.container import portal
from twindow.web.http import render_fragment, wants_fragment
from twindow.web.person.current_person import person
from twindow.web.person.ownership import find_deleted_conversation, own_conversation
from twindow.web.person.return_path import current_page, return_path

HIDING_ACTIONS = {"archived", "deleted"}

bp = Blueprint("conversation_actions", __name__, url_prefix="/conversations/<conversation_id>")


@bp.get("/menu")
def show_menu(conversation_id: str) -> BaseResponse:
    """Return the menu of a conversation, for its row in the sidebar."""
    conversation = own_conversation(conversation_id)
    if not wants_fragment():
        return redirect(url_for("conversations.show", conversation_id=conversation.id), 303)
    return render_fragment(
        "conversations/_row_menu.html", conversation=conversation, next=current_page() or ""
    )


@bp.get("/title")
def edit_title(conversation_id: str) -> BaseResponse:
    """Return the form for a new title."""
    conversation = own_conversation(conversation_id)
    if not wants_fragment():
        url = url_for("conversations.show", conversation_id=conversation.id, rename=1)
        return redirect(url, 303)
    return render_fragment(
        "conversations/_title_form.html", conversation=conversation, next=current_page() or ""
    )


@bp.post("/title")
def rename(conversation_id: str) -> BaseResponse:
    """Rename a conversation. An empty title restores the default title."""
    conversation = own_conversation(conversation_id)
    portal().conversations.rename(conversation, request.form.get("title", ""))
    return _redirect_back(conversation_id, "renamed")


@bp.post("/pin")
def pin(conversation_id: str) -> BaseResponse:
    """Pin or unpin a conversation."""
    conversation = own_conversation(conversation_id)
    pinned = request.form.get("pinned") == "1"
    portal().conversations.set_pinned(conversation, pinned=pinned)
    return _redirect_back(conversation_id, "pinned" if pinned else "unpinned")


@bp.post("/archive")
def archive(conversation_id: str) -> BaseResponse:
    """Archive a conversation, or move it back to the list."""
    conversation = own_conversation(conversation_id)
    archived = request.form.get("archived") == "1"
    portal().conversations.set_archived(conversation, archived=archived)
    return _redirect_back(conversation_id, "archived" if archived else "listed")


@bp.post("/deletion")
def delete(conversation_id: str) -> BaseResponse:
    """Delete a conversation. The list offers to undo the deletion."""
    if not find_deleted_conversation(conversation_id):
        own_conversation(conversation_id)
    portal().deletions.delete(conversation_id, person())
    return _redirect_back(conversation_id, "deleted")


@bp.post("/restoration")
def restore(conversation_id: str) -> BaseResponse:
    """Restore a deleted conversation. Repeating the request has the same result."""
    if find_deleted_conversation(conversation_id):
        portal().deletions.restore(conversation_id, person())
    conversation = own_conversation(conversation_id)
    return _redirect_back(conversation_id, "restored", is_archived=conversation.archived)


def _redirect_back(conversation_id: str, action: str, *, is_archived: bool = False) -> BaseResponse:
    """Redirect to the page that sent the form, which then shows a notice about the action.

    A URL that is no page of this portal is replaced by the list. Actions that hide a conversation
    do not redirect to this conversation.
    """
    list_url = url_for("conversations.index")
    next_path = request.form.get("next", "")
    url = urlsplit(next_path if next_path == return_path(next_path) else list_url)
    hidden_path = url_for("conversations.show", conversation_id=conversation_id)
    endpoint = _endpoint_of(url.path)
    if not endpoint or (action in HIDING_ACTIONS and url.path == hidden_path):
        url = urlsplit(list_url)
    # A page of earlier turns has no place for the notice.
    query = parse_qsl(url.query) if endpoint != "conversations.show" else []
    parameters = {**dict(query), "done": action, "conversation": conversation_id}
    if is_archived and url.path == list_url:
        parameters["view"] = "archived"
    return redirect(f"{url.path}?{urlencode(parameters)}", 303)


def _endpoint_of(path: str) -> str:
    """Return the endpoint of a path of this portal, or "" if there is none."""
    adapter = current_app.create_url_adapter(request)
    if adapter is None:
        return ""
    try:
        endpoint, _ = adapter.match(path.removeprefix(request.script_root), method="GET")
    except HTTPException:
        return ""
    return str(endpoint)
