"""The response with the page of one conversation."""

from __future__ import annotations

from functools import partial

from flask import Response, current_app, make_response, render_template, request

from chat.conversations import Conversation
from web import rejected_messages
from web.container import portal
from web.stream_limit import is_stream_limit_reached
from web.streaming import noscript_page
from web.views.action_notice import read_action_notice
from web.views.composer_view import blank_composer, prefilled_composer
from web.views.conversation_view import sidebar_groups, turns_view


def conversation_page(
    conversation: Conversation,
    *,
    rejected: rejected_messages.RejectedMessage | None = None,
    should_follow: bool = False,
) -> Response:
    """Return the page of a conversation. Does not call the service.

    With `should_follow`, the page streams the running reply to browsers without JavaScript. The
    status is that of `rejected`, if given.
    """
    view = turns_view(conversation, before=before_position())
    running_turns = [view.turn for view in view["turns"][-1:] if view.reply.is_running]
    values = (
        view
        | prefilled_composer(conversation)
        | (rejected_messages.rejected_composer(rejected) if rejected else {})
    )
    values |= {
        "has_running_reply": bool(running_turns),
        "is_followed": should_follow,
        "sidebar_groups": sidebar_groups(),
        "action_notice": read_action_notice(),
    }
    if should_follow and running_turns and not is_stream_limit_reached():
        values["load_composer"] = partial(blank_composer, conversation)
        noscript_reply = noscript_page.NoscriptReply(
            running_turns[0],
            portal().log.follow(running_turns[0].id, current_app.config["NOSCRIPT_POLL_SECONDS"]),
        )
        return noscript_page.stream_page("conversations/show.html", noscript_reply, **values)
    status = rejected.status if rejected else 200
    return make_response(render_template("conversations/show.html", **values), status)


def before_position() -> int | None:
    return request.args.get("before", None, _parse_position)


def _parse_position(value: str) -> int:
    return max(1, min(int(value), 2**31 - 1))
