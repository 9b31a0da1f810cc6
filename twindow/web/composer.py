"""View model of the message form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from flask import request, url_for

from twindow.chat.conversations import Conversation
from twindow.chat.limits import MessagesLeft, Sender, SendingStatus
from twindow.chat.turns import Turn
from twindow.twinapi import Twin
from twindow.web import message_form
from twindow.web.container import portal
from twindow.web.i18n import bidi_isolate_text, gettext
from twindow.web.message_form import RejectedMessage
from twindow.web.person.client_address import visitor_address
from twindow.web.person.current_person import person
from twindow.web.person.ownership import find_turn


@dataclass(frozen=True, slots=True)
class ComposerView:
    """The message form.

    `conversation_id` is None where the form starts a conversation with the twin `twin_id`, or with
    one of `choices`.
    With `edited_turn_id`, the text is that of an earlier message; the form sends it as a version of
    the turn `replaced_turn_id`, or at the end. `followed_turn_id` is the version that the page
    shows of its last turn.
    `blocked_reason` is why no message can be sent at all; `retry_at` is when to try again, in
    seconds since the epoch. `rejection` is why the submitted message was not sent.
    """

    action: str
    twin_id: str
    twin_name: str
    idempotency_key: str
    conversation_id: str | None = None
    content: str = ""
    edited_turn_id: str = ""
    replaced_turn_id: str = ""
    followed_turn_id: str = ""
    blocked_reason: str = ""
    retry_at: float | None = None
    messages_left: MessagesLeft | None = None
    rejection: RejectedMessage | None = None
    choices: Sequence[Twin] = ()


def first_composer(
    twin: Twin, choices: Sequence[Twin] = (), copied: Turn | None = None
) -> ComposerView:
    """Return the form that starts a conversation with a twin, or with one of `choices`.

    If the choices lack the twin, it becomes the first one. The form has the message of `copied`.
    """
    if choices and twin not in choices:
        choices = [twin, *choices[:-1]]
    composer = ComposerView(
        action=url_for("twins.start_conversation"),
        twin_id=twin.id,
        twin_name=twin.name,
        choices=choices,
        idempotency_key=message_form.new_idempotency_key(),
        content=copied.content if copied else "",
        edited_turn_id=copied.id if copied else "",
    )
    return _with_status(composer, _read_status(twin.id))


def conversation_composer(
    conversation: Conversation, sending_status: SendingStatus | None = None
) -> ComposerView:
    """Return the form of a conversation.

    The form contains the message of the turn whose id is the query parameter `edit`, and sends it
    as a version of this turn if no message follows. What remains of the limits is read if the
    caller does not pass `sending_status`.
    """
    edited_id = request.args.get("edit", "")
    content = message_form.turn_content(edited_id)
    composer = ComposerView(
        action=url_for("turns.create", conversation_id=conversation.id),
        twin_id=conversation.twin_id,
        twin_name=conversation.twin_name,
        idempotency_key=message_form.new_idempotency_key(),
        conversation_id=conversation.id,
        content=content,
        edited_turn_id=edited_id if content else "",
        replaced_turn_id=_replaced_turn_id(edited_id, conversation.id) if content else "",
        followed_turn_id=request.args.get("turn", ""),
    )
    composer = _with_status(composer, sending_status or _read_status(conversation.twin_id))
    if not portal().catalogue.is_missing(conversation.twin_id):
        return composer
    reason = gettext(
        "%(twin)s is no longer available. This conversation is still saved.",
        twin=bidi_isolate_text(conversation.twin_name),
    )
    return replace(composer, blocked_reason=reason)


def with_rejection(composer: ComposerView, rejection: RejectedMessage) -> ComposerView:
    """Return the form with a rejected message and the reason.

    The form contains the text if it was sent by the composer, or by a button that starts a
    conversation. The text that a "Try again" button sends again is already on the page.
    """
    composer = replace(
        composer, rejection=rejection, retry_at=rejection.retry_at or composer.retry_at
    )
    edited_id = message_form.submitted_turn_id("edited")
    if not (message_form.is_from_composer() or "new_conversation" in request.form):
        return composer
    return replace(
        composer,
        content=rejection.content,
        edited_turn_id=edited_id,
        replaced_turn_id=_replaced_turn_id(edited_id, composer.conversation_id),
        followed_turn_id=message_form.submitted_turn_id("follows"),
    )


def _replaced_turn_id(edited_id: str, conversation_id: str | None) -> str:
    """Return the newest version of a message if no message follows it, else ""."""
    turn = find_turn(edited_id)
    if turn is None or turn.conversation_id != conversation_id:
        return ""
    newest = portal().turns.list_for_conversation(turn.conversation_id, limit=1)[-1].turn
    return newest.id if newest.slot == turn.slot else ""


def _read_status(twin_id: str) -> SendingStatus:
    return portal().limits.status(Sender(person(), twin_id, visitor_address()))


def _with_status(composer: ComposerView, status: SendingStatus) -> ComposerView:
    return replace(composer, retry_at=status.retry_at, messages_left=status.messages_left)
