"""A person's conversations: the list, what is found in them, and one of them."""

from __future__ import annotations

from functools import partial
from typing import Any

from flask import (
    Blueprint,
    Response,
    current_app,
    make_response,
    render_template,
    request,
    url_for,
)

from chat.conversations import Conversation
from web import idempotency_keys, message_form, rejected_messages
from web.container import own_conversation, person, portal
from web.http.htmx import fragment, wants_fragment
from web.stream_limit import is_one_too_many
from web.streaming import noscript_page
from web.views.action_notice import done
from web.views.conversation_view import TURNS_ON_A_PAGE, composer_of, log_of, side
from web.views.date_groups import grouped

bp = Blueprint("conversations", __name__, url_prefix="/conversations")

# So many of those that were deleted just now are offered again.
DELETED = 5


@bp.get("")
def index() -> Response | str:
    """List the person's conversations by day, or search them."""
    twin_id, q = request.args.get("twin") or None, request.args.get("q", "").strip()
    shown = _found(q, twin_id) if q else _listed(twin_id)
    twin = portal().directory.known(twin_id) if twin_id else None
    name = twin.name if twin else next((c.twin_name for c in shown["conversations"]), twin_id)
    just_done = done()
    listed = {conversation.id for conversation in shown["conversations"]}
    # What was done is said in its row, or above the list when it has left it.
    in_row = just_done is not None and just_done.conversation.id in listed
    shown |= {"twin_id": twin_id, "twin_name": name, "q": q, "done": just_done, "in_row": in_row}
    if wants_fragment():
        return fragment("conversations/_list.html", **shown, alone=True)
    return render_template("conversations/index.html", **shown)


def _listed(twin_id: str | None) -> dict[str, Any]:
    archived = request.args.get("view") == "archived"
    of_person = portal().conversations.of_person
    wanted = request.args.get("page", 1, int)
    page = of_person(person(), twin_id=twin_id, archived=archived, page=wanted)
    view = "archived" if archived else None
    number = page.number if page.number > 1 else None
    return {
        "archived": archived,
        "page": page,
        "groups": grouped(page.items),
        "conversations": page.items,
        "all_archived": not (archived or page.items)
        and of_person(person(), twin_id=twin_id, archived=True).total > 0,
        "deleted": portal().deletions.of_person(person(), DELETED) if person() else (),
        "here": url_for("conversations.index", twin=twin_id, view=view, page=number),
    }


def _found(q: str, twin_id: str | None) -> dict[str, Any]:
    after = request.args.get("after", "")
    results = portal().search.find(person(), q, twin_id=twin_id, after=after)
    return {
        "results": results,
        "conversations": [found.conversation for found in results.found],
        "here": url_for("conversations.index", twin=twin_id, q=q, after=after or None),
        "context": TURNS_ON_A_PAGE // 2,
    }


@bp.get("/<conversation_id>")
def show(conversation_id: str) -> Response:
    """Show a conversation: its newest turns, or those before a position."""
    conversation = own_conversation(conversation_id)
    if wants_fragment():
        if "words_of" in request.args:
            return fragment("turns/_composer.html", **given_back(conversation))
        return fragment("conversations/_log.html", **log_of(conversation, before=_before()))
    idempotency_keys.forget_first_key(conversation.twin_id)
    return page_of(conversation, follow="follow" in request.args)


def page_of(
    conversation: Conversation,
    *,
    refused: rejected_messages.Refused | None = None,
    follow: bool = False,
) -> Response:
    """Make the page of a conversation; this asks the service nothing."""
    log = log_of(conversation, before=_before())
    running = [turn for turn, reply in log["turns"][-1:] if reply.running]
    values = (
        log | given_back(conversation) | (rejected_messages.given_back(refused) if refused else {})
    )
    values |= {
        "running": bool(running),
        "follow": follow,
        "side": side(),
        "done": done(),
    }
    if follow and running and not is_one_too_many():
        values["composer"] = partial(composer_of, conversation)
        followed = noscript_page.Written(
            running[0],
            portal().log.follow(running[0].id, current_app.config["NOSCRIPT_POLL_SECONDS"]),
        )
        return noscript_page.page("conversations/show.html", followed, **values)
    status = refused.status if refused else 200
    return make_response(render_template("conversations/show.html", **values), status)


def given_back(conversation: Conversation) -> dict[str, Any]:
    """Return what the composer is shown by, with words of an earlier turn, or refused ones."""
    shown = composer_of(conversation)
    if said := message_form.words_of(request.args):
        turn_id = request.args["words_of"]
        refused = rejected_messages.kept(rejected_messages.edit_of(turn_id))
        return shown | {"content": refused or said, "copied": turn_id, "kept": bool(refused)}
    refused = rejected_messages.kept(conversation.id)
    return shown | {"content": refused, "kept": bool(refused)}


def _before() -> int | None:
    return request.args.get("before", None, _position)


def _position(value: str) -> int:
    return max(1, min(int(value), 2**31 - 1))
