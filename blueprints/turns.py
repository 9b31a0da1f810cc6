"""Turns: send a message, read and stop its reply, and discard drafts."""

from __future__ import annotations

from flask import Blueprint, Response, redirect, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from chat.conversations import Conversation
from chat.log import Ended, ReplyState, build_reply
from chat.quota import SendingBlocked
from chat.turns import ReplyInProgress, Turn
from core.languages import N_
from web import message_form, rejected_messages
from web.container import portal
from web.current_person import person
from web.http import render_fragment, render_notice, wants_fragment
from web.i18n import join_sentences
from web.ownership import own_conversation, own_turn
from web.views import (
    conversation_page,
    prefilled_composer,
    sidebar_groups,
    turn_view,
    turns_view,
    will_move_in_sidebar,
)

bp = Blueprint("turns", __name__)

STILL_REPLYING = N_(
    "The twin is still replying. Wait for the end, or stop it; your message was not sent."
)


@bp.post("/conversations/<conversation_id>/turns")
def create(conversation_id: str) -> BaseResponse:
    """Add a turn with the submitted message, and start its reply."""
    conversation = own_conversation(conversation_id)
    should_update_sidebar = wants_fragment() and will_move_in_sidebar(conversation)
    try:
        message = message_form.read_message()
        resent_turn = _find_resent_turn(conversation, message.content)
        result = portal().turns.add(
            conversation, message.content, message.idempotency_key, resent_turn
        )
    except rejected_messages.RejectedMessage as rejected:
        return _rejection_response(conversation, rejected)
    except ReplyInProgress:
        return _rejection_response(
            conversation, rejected_messages.RejectedMessage(STILL_REPLYING, 409, message.content)
        )
    except SendingBlocked as error:
        sentence = join_sentences(error.sentence, rejected_messages.NOT_SENT)
        return _rejection_response(
            conversation,
            rejected_messages.RejectedMessage(sentence, 429, message.content, error.retry_at),
        )
    turn = result.turn
    rejected_messages.discard_sent_draft(conversation_id, message.content)
    if result.is_new:
        portal().reply_worker.start_reply(result.conversation, turn, resent_turn)
    if wants_fragment():
        values = {"turns": [turn_view(turn)]} | prefilled_composer(conversation)
        is_next = result.is_new and _is_up_to_date(conversation, before=turn.position)
        if not is_next:
            values |= turns_view(conversation)
        if should_update_sidebar:
            values["sidebar_groups"] = sidebar_groups()
        is_from_composer = "composer" in request.form
        return render_fragment(
            "turns/create.html", **values, is_from_composer=is_from_composer, is_next_turn=is_next
        )
    return redirect(_conversation_url(turn), 303)


@bp.get("/conversations/<conversation_id>/turns")
def index(conversation_id: str) -> BaseResponse:
    """Return the turns after the one that the page saw last; 204 if there are none."""
    conversation = own_conversation(conversation_id)
    if not wants_fragment():
        return redirect(url_for("conversations.show", conversation_id=conversation.id), 303)
    if _is_up_to_date(conversation):
        return Response(status=204)
    view, last_seen_id = turns_view(conversation), request.args.get("seen")
    page_turn_ids = [item.turn.id for item in view["turns"]]
    new_turns = (
        view["turns"][page_turn_ids.index(last_seen_id) + 1 :]
        if last_seen_id in page_turn_ids
        else None
    )
    return render_fragment("turns/index.html", **view | {"new_turns": new_turns})


@bp.get("/turns/<turn_id>/text")
def text(turn_id: str) -> Response:
    """Return the reply as Markdown source, in plain text."""
    reply = build_reply(portal().log.read(own_turn(turn_id).id))
    return Response(reply.text, content_type="text/plain; charset=utf-8")


@bp.post("/turns/<turn_id>/cancellation")
def cancel(turn_id: str) -> BaseResponse:
    """Stop the reply. Its text so far is kept."""
    turn = own_turn(turn_id)
    portal().log.end(turn.id, Ended(ReplyState.STOPPED, code="stopped"))
    if wants_fragment():
        return render_fragment(
            "turns/_turn_list.html",
            turns=[turn_view(turn)],
            idempotency_key=message_form.new_idempotency_key(),
        )
    return redirect(_conversation_url(turn), 303)


@bp.post("/conversations/<conversation_id>/words/deletion")
def discard(conversation_id: str) -> BaseResponse:
    """Discard the draft of a rejected message, or of the edited turn in `words_of`."""
    own_conversation(conversation_id)
    turn_id = request.args.get("words_of")
    rejected_messages.discard_draft(
        rejected_messages.edit_draft(turn_id) if turn_id else conversation_id
    )
    return redirect(url_for("conversations.show", conversation_id=conversation_id), 303)


def _find_resent_turn(conversation: Conversation, content: str) -> Turn | None:
    """Return the turn that a Retry button sends again, if its message is unchanged."""
    turn_id = request.form.get("again", "").replace("\0", "")
    turn = portal().turns.find(turn_id, person()) if turn_id else None
    if turn is None or (turn.conversation_id, turn.content) != (conversation.id, content):
        return None
    return turn


def _is_up_to_date(conversation: Conversation, *, before: int | None = None) -> bool:
    """Return whether the page already shows the newest turn, or the newest before a position."""
    last_seen_id = request.values.get("seen")
    newest = portal().turns.list_for_conversation(conversation.id, before=before, limit=1)
    return last_seen_id is None or [last_seen_id] == [turn.id for turn in newest]


def _conversation_url(turn: Turn) -> str:
    return url_for("conversations.show", conversation_id=turn.conversation_id)


def _rejection_response(
    conversation: Conversation, rejected: rejected_messages.RejectedMessage
) -> Response:
    if not wants_fragment():
        rejected_messages.save_draft(conversation.id, rejected.content)
        return conversation_page(conversation, rejected=rejected)
    if "composer" not in request.form:
        return render_notice(rejected.sentence, rejected.status, retry_at=rejected.retry_at)
    values = prefilled_composer(conversation) | rejected_messages.rejected_composer(rejected)
    if not _is_up_to_date(conversation):
        values = turns_view(conversation) | values
    return render_fragment(
        "turns/rejected.html",
        rejected.status,
        **values,
        is_reply_running=rejected.status == 409,
    )
