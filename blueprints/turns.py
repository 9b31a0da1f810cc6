"""Turns: add one to a conversation, and stop its reply."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, redirect, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from blueprints.conversations import given_back, page_of
from chat.conversations import Conversation
from chat.log.entries import Ended, State, fold
from chat.quota import NotNow
from chat.turns import StillReplying, Turn
from core.languages import N_
from rendering.stream.incremental import shown
from web import idempotency_keys, message_form, rejected_messages
from web.container import own_conversation, own_turn, person, portal
from web.http.htmx import fragment, notice, wants_fragment
from web.i18n.sentences import together
from web.views.conversation_view import log_of, moves_up, side

bp = Blueprint("turns", __name__)

STOPPED = N_("You stopped this reply.")
STILL_REPLYING = N_(
    "The twin is still replying. Wait for the end, or stop it; your message was not sent."
)


@bp.post("/conversations/<conversation_id>/turns")
def create(conversation_id: str) -> BaseResponse:
    """Add what the person said, and begin the reply."""
    conversation = own_conversation(conversation_id)
    moves = wants_fragment() and moves_up(conversation)
    try:
        said = message_form.said()
        again = _repeated(conversation, said.content)
        added = portal().turns.add(conversation, said.content, said.key, again)
    except rejected_messages.Refused as refused:
        return _refuse(conversation, refused)
    except StillReplying:
        return _refuse(conversation, rejected_messages.Refused(STILL_REPLYING, 409, said.content))
    except NotNow as error:
        sentence = together(error.sentence, rejected_messages.NOT_SENT)
        return _refuse(
            conversation, rejected_messages.Refused(sentence, 429, said.content, error.until)
        )
    turn = added.turn
    rejected_messages.sent(conversation_id, said.content)
    if added.new:
        portal().producer.reply_later(added.conversation, turn, again)
    if wants_fragment():
        values = _values_of(turn) | given_back(conversation)
        is_next = added.new and _is_up_to_date(conversation, before=turn.position)
        if not is_next:
            values |= log_of(conversation)
        if moves:
            values["side"] = side()
        from_composer = "composer" in request.form
        return fragment("turns/create.html", **values, from_composer=from_composer, next=is_next)
    return redirect(_place_of(turn), 303)


@bp.get("/conversations/<conversation_id>/turns")
def index(conversation_id: str) -> BaseResponse:
    """Show the turns after the one that a page has seen; 204 if there are none."""
    conversation = own_conversation(conversation_id)
    if not wants_fragment():
        return redirect(url_for("conversations.show", conversation_id=conversation.id), 303)
    if _is_up_to_date(conversation):
        return Response(status=204)
    log, seen = log_of(conversation), request.args.get("seen")
    known = [turn.id for turn, _ in log["turns"]]
    new = log["turns"][known.index(seen) + 1 :] if seen in known else None
    return fragment("turns/index.html", **log | {"new": new})


@bp.get("/turns/<turn_id>/text")
def text(turn_id: str) -> Response:
    """Answer with the reply as it was written, in Markdown."""
    reply = fold(portal().log.read(own_turn(turn_id).id))
    return Response(reply.text, content_type="text/plain; charset=utf-8")


@bp.post("/turns/<turn_id>/cancellation")
def cancel(turn_id: str) -> BaseResponse:
    """Stop the reply; what came so far is kept."""
    turn = own_turn(turn_id)
    portal().log.end(turn.id, Ended(State.STOPPED, sentence=STOPPED))
    if wants_fragment():
        return fragment("turns/_turn.html", **_values_of(turn))
    return redirect(_place_of(turn), 303)


@bp.post("/conversations/<conversation_id>/words/deletion")
def discard(conversation_id: str) -> BaseResponse:
    """Let go of words that were refused, or of what became of an earlier turn's."""
    own_conversation(conversation_id)
    turn_id = request.args.get("words_of")
    rejected_messages.forget(rejected_messages.edit_of(turn_id) if turn_id else conversation_id)
    return redirect(url_for("conversations.show", conversation_id=conversation_id), 303)


def _repeated(conversation: Conversation, content: str) -> Turn | None:
    """Return the turn of this conversation whose Retry was pressed, if these are its words."""
    turn_id = request.form.get("again", "").replace("\0", "")
    turn = portal().turns.find(turn_id, person()) if turn_id else None
    if turn is None or (turn.conversation_id, turn.content) != (conversation.id, content):
        return None
    return turn


def _is_up_to_date(conversation: Conversation, *, before: int | None = None) -> bool:
    """Tell whether the page that asks shows the newest turn, or the one before a position."""
    seen = request.values.get("seen")
    newest = portal().turns.of_conversation(conversation.id, before=before, limit=1)
    return seen is None or [seen] == [turn.id for turn in newest]


def _values_of(turn: Turn) -> dict[str, Any]:
    return {
        "turn": turn,
        "reply": shown(portal().log.read(turn.id), turn.id),
        "key": idempotency_keys.fresh_key(),
    }


def _place_of(turn: Turn) -> str:
    return url_for("conversations.show", conversation_id=turn.conversation_id)


def _refuse(conversation: Conversation, refused: rejected_messages.Refused) -> Response:
    if not wants_fragment():
        rejected_messages.keep(conversation.id, refused.content)
        return page_of(conversation, refused=refused)
    if "composer" not in request.form:
        return notice(refused.sentence, refused.status, until=refused.until)
    values = given_back(conversation) | rejected_messages.given_back(refused)
    if not _is_up_to_date(conversation):
        values = log_of(conversation) | values
    return fragment(
        "turns/refused.html",
        refused.status,
        **values,
        until_ended=refused.status == 409,
    )
