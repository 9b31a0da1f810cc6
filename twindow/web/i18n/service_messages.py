"""Messages for the codes of ended replies and of service errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from flask import Flask

from twindow.chat.log import Reply, ReplyState
from twindow.core.languages import N_
from twindow.web.i18n.locale import bidi_isolate_text, gettext
from twindow.web.i18n.sentences import format_number, sentence_gap

MESSAGES = {
    # Reply ends.
    "stopped": N_("Stopped."),
    "conversation_deleted": N_("Stopped because the conversation was deleted."),
    "shutting_down": N_("The reply was interrupted because the server is restarting."),
    "worker_died": N_("The reply was interrupted by a restart."),
    "reply_cut_off": N_("This reply reached the length limit. Ask the twin to continue."),
    "reply_empty": N_("The reply was empty."),
    "reply_too_long": N_(
        "The reply was too long and ends here. The first %(count)s characters have been saved."
    ),
    "reply_not_saved": N_(
        "The reply couldn't be saved because the database is not responding. "
        "Copy what you need now: it may be gone when you come back."
    ),
    "message_too_long": N_("Your message is too long for this model. Try a shorter one."),
    "conversation_gone": N_(
        "This conversation no longer exists in the twin service. "
        "Your messages are still saved here."
    ),
    "twin_gone": N_(
        "This twin no longer exists in the twin service. Your messages are still saved here."
    ),
    "database_unreadable": N_("The database was unavailable for a moment."),
    "internal_error": N_("Something went wrong on our side during the reply."),
    "service_error": N_("The twin service reported an error without details."),
    "service_error_with_reason": N_("The twin service reported an error: %(reason)s"),
    # Errors of the client (twindow/twinapi/errors.py).
    "service_unusable": N_("The twin service couldn't be used."),
    "not_connected": N_("The twin service can't be reached."),
    "tls_failed": N_(
        "We can't connect securely to the twin service. Please contact your administrator."
    ),
    "proxy_failed": N_(
        "We can't reach the twin service through the proxy. Please contact your administrator."
    ),
    "response_timeout": N_("The twin service didn't respond in time."),
    "connection_closed": N_("The twin service closed the connection without responding."),
    "connection_lost": N_("The connection to the twin service was lost."),
    "unauthorized": N_(
        "We can't connect to the twin service (access denied). Please contact your administrator."
    ),
    "forbidden": N_(
        "You can't send messages to this twin (access denied). Please contact your administrator."
    ),
    "not_found": N_("This no longer exists in the twin service."),
    "conflict": N_(
        "Another reply is in progress in this conversation. Please wait a moment and try again."
    ),
    "rejected": N_("The twin service didn't accept the message."),
    "rejected_with_reason": N_("The twin service didn't accept the message: %(reason)s"),
    "rate_limited": N_("The twin service has received too many requests."),
    "service_failed": N_("The twin service has a problem right now."),
    "unexpected_response": N_(
        "The twin service sent an unexpected response. Please contact your administrator."
    ),
    "stream_interrupted": N_("The reply was interrupted."),
    "idle_timeout": N_("The reply timed out."),
    "total_timeout": N_("The reply took too long and was stopped."),
    "stream_too_large": N_("The reply is too long to display."),
    # Errors of the list of twins.
    "service_not_found": N_(
        "The twin service wasn't found at the configured address. "
        "Please contact your administrator."
    ),
    "list_forbidden": N_(
        "We can't list the twins (access denied). Please contact your administrator."
    ),
    "list_unreadable": N_("The list of twins can't be read. Please contact your administrator."),
}
MESSAGE_NOT_SENT = N_("Your message wasn't sent.")
TEXT_SAVED = N_("The text so far has been saved.")
# `TEXT_SAVED` is added to the messages of these codes if the reply has text.
INTERRUPTIONS = {
    "shutting_down",
    "worker_died",
    "internal_error",
    "stream_interrupted",
    "idle_timeout",
    "total_timeout",
}
SENTENCE_ENDINGS = (".", "!", "?", "…", "\u3002", "\uff01", "\uff1f", "\u061f")


def init_app(app: Flask) -> None:
    """Register the template filters."""
    app.add_template_filter(service_message)
    app.add_template_filter(reply_end_message)


def service_message(code: str, params: Mapping[str, str] | None = None) -> str:
    """Return the translated message of a code, or "" for an empty code."""
    return _build_message(code, params or {}, gettext, _localize)


def reply_end_message(reply: Reply) -> str:
    """Return the translated message about the end of a reply, or "" if there is none."""
    return _build_end_message(reply, gettext, _localize, sentence_gap())


def english_message(code: str, params: Mapping[str, str] | None = None) -> str:
    """Return the message of a code in English, for the command line."""
    return _build_message(code, params or {}, _insert_values, _format_in_english)


def english_end_message(reply: Reply) -> str:
    """Return the message about the end of a reply in English, for exports."""
    return _build_end_message(reply, _insert_values, _format_in_english)


def _insert_values(sentence: str, **values: str) -> str:
    return sentence % values if values else sentence


def _build_end_message(
    reply: Reply,
    translate: Callable[..., str],
    format_value: Callable[[str, str], str],
    gap: str = " ",
) -> str:
    message = _build_message(reply.code, reply.params, translate, format_value)
    if reply.text and reply.code in INTERRUPTIONS:
        return f"{message}{gap}{translate(TEXT_SAVED)}"
    is_gone = reply.is_conversation_gone or reply.code == "twin_gone"
    is_unsent = reply.state is ReplyState.FAILED and not (reply.perhaps_received or is_gone)
    return f"{message}{gap}{translate(MESSAGE_NOT_SENT)}" if message and is_unsent else message


def _build_message(
    code: str,
    params: Mapping[str, str],
    translate: Callable[..., str],
    format_value: Callable[[str, str], str],
) -> str:
    if not code:
        return ""
    values = {name: format_value(name, value) for name, value in params.items()}
    return translate(MESSAGES[code], **values)


def _localize(name: str, value: str) -> str:
    """Format a count, or translate a reason if it is a sentence of the embedded service."""
    if name == "count":
        return format_number(int(value))
    return bidi_isolate_text(_end_sentence(gettext(value) if value else ""))


def _format_in_english(name: str, value: str) -> str:
    return f"{int(value):,}" if name == "count" else _end_sentence(value)


def _end_sentence(reason: str) -> str:
    return reason if reason.endswith(SENTENCE_ENDINGS) else f"{reason}."
