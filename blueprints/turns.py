"""Turns: send a message, and read and stop its reply."""

from __future__ import annotations

from flask import Blueprint, Response, redirect, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from twindow.chat.conversations import Conversation, ConversationNotFound
from twindow.chat.limits import SendingBlocked
from twindow.chat.log import Ended, ReplyState, build_reply
from twindow.chat.submissions import AddedTurn, ReplyInProgress, TurnNotNewest
from twindow.chat.turns import Turn
from twindow.core.languages import N_
from twindow.web import message_form
from twindow.web.composer import conversation_composer, with_rejection
from twindow.web.container import portal
from twindow.web.http import render_fragment, render_notice, wants_fragment
from twindow.web.i18n import join_sentences
from twindow.web.message_form import RejectedMessage
from twindow.web.person.client_address import visitor_address
from twindow.web.person.ownership import own_conversation, own_turn
from twindow.web.views import (
    TurnView,
    load_conversation_view,
    load_turn_view,
    render_conversation_page,
)

bp = Blueprint("turns", __name__)
bp.add_app_template_global(message_form.new_idempotency_key)

STILL_REPLYING = N_(
    "The twin is still replying, so your message wasn't sent. Wait for the reply or stop it."
)
NOT_NEWEST = N_("The conversation has gone on, so your message wasn't sent. You can send it again.")


@bp.post("/conversations/<conversation_id>/turns")
def create(conversation_id: str) -> BaseResponse:
    """Add a turn with the submitted message, and start its reply."""
    conversation = own_conversation(conversation_id)
    try:
        added = _add_turn(conversation)
    except RejectedMessage as rejection:
        response = _rejection_response(own_conversation(conversation_id), rejection)
        return message_form.add_retry_after(response, rejection)
    except ConversationNotFound:
        own_conversation(conversation_id)  # raises RecentlyDeleted if the deletion can be undone
        raise
    if added.is_new:
        portal().reply_worker.start_reply(added)
    if wants_fragment():
        return _added_fragment(added, is_renamed=added.conversation.title != conversation.title)
    return redirect(_conversation_url(added.turn), 303)


@bp.get("/conversations/<conversation_id>/turns")
def index(conversation_id: str) -> BaseResponse:
    """Return the turns after the position `seen`, and a new title; 204 if all is old."""
    conversation = own_conversation(conversation_id)
    if not wants_fragment():
        turn_id = request.args.get("turn")  # of a link on the page of a rejected message
        url = url_for("conversations.show", conversation_id=conversation.id, turn=turn_id)
        return redirect(url, 303)
    is_renamed = request.args.get("title", conversation.title) != conversation.title
    seen = request.args.get("seen", 0, int)
    newest_turns = portal().turns.list_for_conversation(conversation_id, limit=1)
    is_up_to_date = all(stored.turn.position <= seen for stored in newest_turns)
    if is_up_to_date and not is_renamed:
        return Response(status=204)
    view = load_conversation_view(conversation)
    new_turns: list[TurnView] | None = [item for item in view.turns if item.turn.position > seen]
    if view.older_slot and new_turns == view.turns:
        new_turns = None  # there may be others between the last turn of the page and these
    return render_fragment(
        "turns/index.html",
        conversation=conversation,
        view=view,
        new_turns=new_turns,
        is_renamed=is_renamed,
    )


@bp.get("/turns/<turn_id>/text")
def text(turn_id: str) -> Response:
    """Return the reply as Markdown source, in plain text; a header has its state."""
    reply = build_reply(portal().log.read(own_turn(turn_id).id))
    headers = {"Reply-State": str(reply.state)}
    return Response(reply.text, headers=headers, content_type="text/plain; charset=utf-8")


@bp.post("/turns/<turn_id>/cancellation")
def cancel(turn_id: str) -> BaseResponse:
    """Stop the reply. The text received so far is kept."""
    turn = own_turn(turn_id)
    portal().log.end(turn.id, Ended(ReplyState.STOPPED, code="stopped"))
    if wants_fragment():
        return render_fragment(
            "turns/_turn_list.html",
            turns=[load_turn_view(turn)],
        )
    return redirect(_conversation_url(turn), 303)


def _add_turn(conversation: Conversation) -> AddedTurn:
    """Add a turn with the submitted message. Raises RejectedMessage and ConversationNotFound."""
    message = message_form.read_message()
    try:
        return portal().submissions.add_turn(
            conversation, message, visitor_address=visitor_address()
        )
    except ReplyInProgress as error:
        raise RejectedMessage(STILL_REPLYING, 409, message.content) from error
    except TurnNotNewest as error:
        raise RejectedMessage(NOT_NEWEST, 409, message.content) from error
    except SendingBlocked as error:
        sentence = join_sentences(error.sentence, message_form.NOT_SENT)
        raise RejectedMessage(sentence, 429, message.content, error.retry_at) from error


def _added_fragment(added: AddedTurn, *, is_renamed: bool) -> Response:
    """Return the new turn and an empty composer. The page fetches earlier turns that it lacks."""
    turn = added.turn
    return render_fragment(
        "turns/create.html",
        conversation=added.conversation,
        is_renamed=is_renamed,
        turns=[TurnView.waiting(turn) if added.is_new else load_turn_view(turn)],
        composer=conversation_composer(added.conversation, added.sending_status),
        is_from_composer=message_form.is_from_composer(),
    )


def _rejection_response(conversation: Conversation, rejection: RejectedMessage) -> Response:
    if not wants_fragment():
        return render_conversation_page(conversation, rejection=rejection)
    if not message_form.is_from_composer():
        return render_notice(rejection.sentence, rejection.status, retry_at=rejection.retry_at)
    return render_fragment(
        "turns/_composer.html",
        rejection.status,
        composer=with_rejection(conversation_composer(conversation), rejection),
    )


def _conversation_url(turn: Turn) -> str:
    return url_for("conversations.show", conversation_id=turn.conversation_id)
