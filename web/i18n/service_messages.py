"""Messages for the codes of reply ends and of service errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from flask import Flask

from chat.log import Reply, ReplyState
from core.languages import N_
from web.i18n.locale import gettext
from web.i18n.sentences import format_number

MESSAGES = {
    # Reply ends.
    "stopped": N_("You stopped this reply."),
    "conversation_deleted": N_("The conversation was deleted, so this reply was stopped."),
    "shutting_down": N_(
        "The reply was cut off, because Twindow is being restarted. What came so far is kept."
    ),
    "worker_died": N_(
        "The reply was cut off, because Twindow was restarted. What came so far is kept."
    ),
    "reply_cut_off": N_(
        "This reply was cut off: it is as long as a reply may be here. Ask for the rest."
    ),
    "reply_empty": N_("The reply was empty."),
    "reply_too_long": N_(
        "The reply is too long and was cut off here. Its first %(count)s characters are kept."
    ),
    "reply_not_saved": N_(
        "The reply could not be saved, because the database did not answer for too long. "
        "Copy what you need: it may be gone when you come back."
    ),
    "message_too_long": N_(
        "Your message is too long for the model that answers here. Try a shorter one."
    ),
    "conversation_gone": N_(
        "This conversation, or its twin, is no longer there at the service. "
        "What was said here is kept."
    ),
    "database_unreadable": N_("The portal could not look into its own database for a moment."),
    "internal_error": N_(
        "Something went wrong here while the reply came. What came so far is kept."
    ),
    "service_error": N_("The service reported an error without details."),
    "service_error_with_reason": N_("The service reported an error: %(said)s"),
    # Sentences that migration 0008 did not know.
    "other": "%(said)s",
    # Errors of the client (twinapi/errors.py).
    "service_unusable": N_("The service could not be used."),
    "not_connected": N_("The service cannot be reached."),
    "tls_failed": N_("The secure connection to the service failed. Please tell the operator."),
    "response_timeout": N_("The service does not answer in time."),
    "connection_closed": N_("The service closed the connection without an answer."),
    "connection_lost": N_("The connection to the service broke off."),
    "unauthorized": N_("The portal's access to the service was refused. Please tell the operator."),
    "forbidden": N_("The portal's key may only read. Please tell the operator."),
    "not_found": N_("This is no longer there at the service."),
    "conflict": N_(
        "Another reply is in progress in this conversation. Wait a moment, then try again."
    ),
    "rejected": N_("The service did not accept the message."),
    "rejected_with_reason": N_("The service did not accept the message: %(said)s"),
    "rate_limited": N_("The service has had too many requests for now."),
    "service_failed": N_("The service has a problem at the moment."),
    "unexpected_response": N_("The service gave an unexpected answer. Please tell the operator."),
    "stream_interrupted": N_("The reply was cut off. What came so far is kept."),
    "idle_timeout": N_(
        "The service was quiet for too long, so the reply was given up. What came so far is kept."
    ),
    "total_timeout": N_("The reply took too long and was given up. What came so far is kept."),
    "stream_too_large": N_("The reply is too long to be shown."),
    # The list of twins.
    "service_not_found": N_("The service is not where it is looked for. Please tell the operator."),
    "list_unreadable": N_("The list of twins could not be read. Please tell the operator."),
}
MESSAGE_NOT_SENT = N_("Your message was not sent.")
SENTENCE_ENDINGS = (".", "!", "?", "…", "\u3002", "\uff01", "\uff1f", "\u061f")


def init_app(app: Flask) -> None:
    """Register the template filters."""
    app.add_template_filter(service_message)
    app.add_template_filter(reply_end_message)


def service_message(code: str, params: Mapping[str, str] | None = None) -> str:
    """Return the translated message of a code; "" for ""."""
    return _build_message(code, params or {}, gettext, format_number)


def reply_end_message(reply: Reply) -> str:
    """Return the translated message about the end of a reply; "" if it needs none."""
    return _build_end_message(reply, gettext, format_number)


def english_message(code: str, params: Mapping[str, str] | None = None) -> str:
    """Return the message of a code in English, for the command line."""
    return _build_message(code, params or {}, _insert_values, "{:,}".format)


def english_end_message(reply: Reply) -> str:
    """Return the message about the end of a reply in English, for exports."""
    return _build_end_message(reply, _insert_values, "{:,}".format)


def _insert_values(sentence: str, **values: str) -> str:
    return sentence % values if values else sentence


def _build_end_message(
    reply: Reply, translate: Callable[..., str], format_count: Callable[[int], str]
) -> str:
    message = _build_message(reply.code, reply.params, translate, format_count)
    is_unsent = reply.state is ReplyState.FAILED and not (reply.perhaps_received or reply.gone)
    return f"{message} {translate(MESSAGE_NOT_SENT)}" if message and is_unsent else message


def _build_message(
    code: str,
    params: Mapping[str, str],
    translate: Callable[..., str],
    format_count: Callable[[int], str],
) -> str:
    if not code:
        return ""
    values = {name: _format_value(name, value, format_count) for name, value in params.items()}
    return translate(MESSAGES[code], **values)


def _format_value(name: str, value: str, format_count: Callable[[int], str]) -> str:
    if name == "count":
        return format_count(int(value))
    return value if value.endswith(SENTENCE_ENDINGS) else f"{value}."
