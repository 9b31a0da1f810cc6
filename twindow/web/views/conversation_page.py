"""The response with the page of one conversation."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from flask import Response, make_response, render_template

from twindow.chat.conversations import Conversation
from twindow.web.composer import conversation_composer, with_rejection
from twindow.web.message_form import RejectedMessage
from twindow.web.streaming import noscript_page
from twindow.web.streaming.stream_limit import is_stream_limit_reached
from twindow.web.views.action_notice import read_action_notice
from twindow.web.views.conversation_view import load_conversation_view


def render_conversation_page(
    conversation: Conversation,
    *,
    rejection: RejectedMessage | None = None,
    should_follow: bool = False,
) -> Response:
    """Return the page of a conversation, without calling the service.

    With `should_follow`, the page streams the running reply to browsers without JavaScript. The
    response has the status of `rejection`, if given.
    """
    view = load_conversation_view(conversation)
    composer = replace(conversation_composer(conversation), followed_turn_id=view.followed_turn_id)
    running_turns = [item.turn for item in view.turns[-1:] if item.reply.is_running]
    render_values = {
        "conversation": conversation,
        "view": view,
        "composer": with_rejection(composer, rejection) if rejection else composer,
        "has_running_reply": bool(running_turns),
        "is_followed": should_follow,
        "action_notice": read_action_notice(),
    }
    if should_follow and running_turns and not is_stream_limit_reached():
        # Load the composer after the reply, because a limit may be reached meanwhile.
        render_values["load_composer"] = partial(conversation_composer, conversation)
        noscript_reply = noscript_page.NoscriptReply(running_turns[0])
        return noscript_page.stream_page("conversations/show.html", noscript_reply, **render_values)
    status = rejection.status if rejection else 200
    return make_response(render_template("conversations/show.html", **render_values), status)
