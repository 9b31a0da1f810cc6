"""A person's conversations: list, search, and the page of one conversation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flask import (
    Blueprint,
    Response,
    redirect,
    render_template,
    request,
    url_for,
)
from werkzeug.wrappers import Response as BaseResponse

from twindow.chat.conversations import PAGE_SIZE, Conversation, ConversationPage
from twindow.chat.search import SearchResults, plain_line
from twindow.web.composer import conversation_composer
from twindow.web.container import portal
from twindow.web.http import render_fragment, wants_fragment
from twindow.web.person.current_person import person
from twindow.web.person.ownership import find_conversation, own_conversation
from twindow.web.person.twin_permissions import find_cached_twin, twin_permissions
from twindow.web.views import (
    DateGroup,
    group_by_date,
    load_conversation_view,
    read_action_notice,
    render_conversation_page,
    sidebar_groups,
    sidebar_row,
)

bp = Blueprint("conversations", __name__, url_prefix="/conversations")
bp.add_app_template_filter(plain_line)
bp.add_app_template_global(sidebar_groups)
bp.add_app_template_global(sidebar_row)
bp.add_app_template_global(read_action_notice)


@dataclass(frozen=True, slots=True)
class ConversationList:
    """One page of the list or of the archive, grouped by date."""

    page: ConversationPage
    date_groups: Sequence[DateGroup[Conversation]]
    is_archive: bool
    are_all_archived: bool
    newest_texts: Mapping[str, tuple[str, str]]
    recently_deleted: Sequence[Conversation]
    return_url: str

    @property
    def conversations(self) -> Sequence[Conversation]:
        """Return the conversations of the page."""
        return self.page.items


@dataclass(frozen=True, slots=True)
class FoundConversations:
    """One page of search results."""

    results: SearchResults
    return_url: str
    is_archive: bool = False

    @property
    def conversations(self) -> Sequence[Conversation]:
        """Return the conversations with hits."""
        return [result.conversation for result in self.results.items]


@bp.get("")
def index() -> Response | str:
    """List the person's conversations by date, or search them."""
    twin_id, q = request.args.get("twin") or None, request.args.get("q", "").strip()
    view = _search(q, twin_id) if q else _list(twin_id)
    twin = find_cached_twin(twin_id) if twin_id else None
    twin_name = twin.name if twin else next((c.twin_name for c in view.conversations), twin_id)
    notice = read_action_notice()
    listed_ids = {conversation.id for conversation in view.conversations}
    # Show the notice in the row of its only conversation; without such a row, above the list.
    noted_ids = [c.id for c in notice.conversations] if notice else []
    is_in_row = len(noted_ids) == 1 and noted_ids[0] in listed_ids
    template_values: dict[str, Any] = {
        "view": view,
        "twin_id": twin_id,
        "twin_name": twin_name,
        "q": q,
        "action_notice": notice,
        "is_in_row": is_in_row,
    }
    if wants_fragment():
        return render_fragment("conversations/_list.html", **template_values, is_fragment=True)
    return render_template("conversations/index.html", **template_values)


def _list(twin_id: str | None) -> ConversationList:
    is_archive = request.args.get("view") == "archived"
    list_for_person = portal().conversations.list_for_person
    requested_page = request.args.get("page", 1, int)
    permissions = twin_permissions()
    page = list_for_person(
        person(), twin_id=twin_id, archived=is_archive, page=requested_page, permissions=permissions
    )
    are_all_archived = (
        not (is_archive or page.items)
        and list_for_person(person(), twin_id=twin_id, archived=True, permissions=permissions).total
        > 0
    )
    return ConversationList(
        page=page,
        date_groups=group_by_date(page.items),
        is_archive=is_archive,
        are_all_archived=are_all_archived,
        newest_texts=portal().turns.list_newest_texts([c.id for c in page.items]),
        recently_deleted=portal().deletions.list_for_person(person(), PAGE_SIZE, permissions)
        if person()
        else (),
        return_url=url_for(
            "conversations.index",
            twin=twin_id,
            view="archived" if is_archive else None,
            page=page.number if page.number > 1 else None,
        ),
    )


def _search(q: str, twin_id: str | None) -> FoundConversations:
    after = request.args.get("after", "")
    return FoundConversations(
        results=portal().search.find(
            person(), q, twin_id=twin_id, after=after, permissions=twin_permissions()
        ),
        return_url=url_for("conversations.index", twin=twin_id, q=q, after=after or None),
    )


@bp.get("/recent")
def list_recent() -> BaseResponse:
    """Return the list of the sidebar, for a page with the conversation `opened`."""
    if not wants_fragment():
        return redirect(url_for("conversations.index"), 303)
    # The opened one may have been deleted in another tab.
    opened = find_conversation(request.args.get("opened", ""))
    return render_fragment("conversations/_recent.html", conversation=opened)


@bp.get("/<conversation_id>")
def show(conversation_id: str) -> Response:
    """Show a conversation: its newest turns, or those before a slot."""
    conversation = own_conversation(conversation_id)
    if not wants_fragment():
        return render_conversation_page(conversation, should_follow="follow" in request.args)
    if "edit" in request.args:
        composer = conversation_composer(conversation)
        if composer.replaced_turn_id:
            return render_fragment(
                "turns/_edit_form.html",
                retarget=f"#turn-{composer.edited_turn_id} .turn__message",
                reswap="beforeend",
                composer=composer,
            )
        return render_fragment("turns/_composer.html", composer=composer)
    view = load_conversation_view(conversation)
    return render_fragment("conversations/_turns.html", conversation=conversation, view=view)
