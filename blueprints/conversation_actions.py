"""Actions on conversations: rename and pin one; archive, delete and restore one or several."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from urllib.parse import parse_qsl, urlencode, urlsplit

from flask import Blueprint, redirect, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from twindow.chat.conversations import PAGE_SIZE, Conversation
from twindow.web.container import portal
from twindow.web.http import render_fragment, wants_fragment
from twindow.web.person.current_person import person
from twindow.web.person.ownership import (
    find_conversation,
    find_deleted_conversation,
    own_conversation,
)
from twindow.web.person.return_path import current_page, endpoint_of_page

HIDING_ACTIONS = {"archived", "deleted"}

bp = Blueprint("conversation_actions", __name__, url_prefix="/conversations")


@bp.get("/<conversation_id>/menu")
def show_menu(conversation_id: str) -> BaseResponse:
    """Return the menu of a conversation, for its row in the sidebar."""
    conversation = own_conversation(conversation_id)
    if not wants_fragment():
        return redirect(url_for("conversations.show", conversation_id=conversation.id), 303)
    return render_fragment(
        "conversations/_row_menu.html", conversation=conversation, next=current_page() or ""
    )


@bp.get("/<conversation_id>/title")
def edit_title(conversation_id: str) -> BaseResponse:
    """Return the form for a new title."""
    conversation = own_conversation(conversation_id)
    if not wants_fragment():
        url = url_for("conversations.show", conversation_id=conversation.id, rename=1)
        return redirect(url, 303)
    return render_fragment(
        "conversations/_title_form.html", conversation=conversation, next=current_page() or ""
    )


@bp.post("/<conversation_id>/title")
def rename(conversation_id: str) -> BaseResponse:
    """Rename a conversation. An empty title restores the default title."""
    conversation = own_conversation(conversation_id)
    portal().conversations.rename(conversation, request.form.get("title", ""))
    return _redirect_back([conversation], "renamed")


@bp.post("/<conversation_id>/pin")
def pin(conversation_id: str) -> BaseResponse:
    """Pin or unpin a conversation."""
    conversation = own_conversation(conversation_id)
    pinned = request.form.get("pinned") == "1"
    portal().conversations.set_pinned(conversation, pinned=pinned)
    return _redirect_back([conversation], "pinned" if pinned else "unpinned")


@bp.post("/<conversation_id>/archive")
@bp.post("/selected/archive")
def archive(conversation_id: str = "") -> BaseResponse:
    """Archive a conversation or the selected ones, or move them back to the list."""
    archived = request.form.get("archived") == "1"
    conversations = _find_all(conversation_id, find_conversation)
    for conversation in conversations:
        portal().conversations.set_archived(conversation, archived=archived)
    return _redirect_back(conversations, "archived" if archived else "listed")


@bp.post("/<conversation_id>/deletion")
@bp.post("/selected/deletion")
def delete(conversation_id: str = "") -> BaseResponse:
    """Delete a conversation or the selected ones. The list offers to undo the deletion."""
    conversations = _find_all(
        conversation_id, lambda id_: find_deleted_conversation(id_) or find_conversation(id_)
    )
    for conversation in conversations:
        portal().deletions.delete(conversation.id, person())
    return _redirect_back(conversations, "deleted")


@bp.post("/<conversation_id>/restoration")
@bp.post("/selected/restoration")
def restore(conversation_id: str = "") -> BaseResponse:
    """Restore deleted conversations. Repeating the request has the same result."""
    for conversation in _find_all(conversation_id, find_deleted_conversation):
        portal().deletions.restore(conversation.id, person())
    return _redirect_back(_find_all(conversation_id, find_conversation), "restored")


def _find_all(
    conversation_id: str, find: Callable[[str], Conversation | None]
) -> Sequence[Conversation]:
    """Return the conversation of the URL, or what is found of the conversations of the form."""
    if conversation_id:
        return [find(conversation_id) or own_conversation(conversation_id)]
    ids = request.form.getlist("conversation")[:PAGE_SIZE]
    return [conversation for id_ in ids if (conversation := find(id_))]


def _redirect_back(conversations: Sequence[Conversation], action: str) -> BaseResponse:
    """Redirect to the page that sent the form, which then shows a notice about the action.

    A URL that is no page of this portal is replaced by the list. Actions that hide a conversation
    do not redirect to this conversation.
    """
    list_url = url_for("conversations.index")
    next_path = request.form.get("next", "")
    endpoint = endpoint_of_page(next_path)
    url = urlsplit(next_path if endpoint else list_url)
    ids = [conversation.id for conversation in conversations]
    hidden_paths = [url_for("conversations.show", conversation_id=id_) for id_ in ids]
    if action in HIDING_ACTIONS and url.path in hidden_paths:
        url = urlsplit(list_url)
    # A page of earlier turns has no place for the notice.
    query = parse_qsl(url.query) if endpoint != "conversations.show" else []
    parameters = {**dict(query), "done": action, "conversation": ids}
    is_archived = bool(ids) and all(c.archived for c in conversations)
    if action == "restored" and is_archived and url.path == list_url:
        parameters["view"] = "archived"
    return redirect(f"{url.path}?{urlencode(parameters, doseq=True)}", 303)
