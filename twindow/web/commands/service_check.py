"""Questions of the `check` command to the twin service."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress

from twindow.chat.catalogue import advise_operator, describe_cause, list_error_code
from twindow.core.findings import Finding
from twindow.core.settings import Settings
from twindow.core.twin_groups import OTHER_TWINS
from twindow.core.urls import without_credentials
from twindow.twinapi import (
    Client,
    Complete,
    Conversation,
    Delta,
    Failed,
    Forbidden,
    RateLimitReport,
    Twin,
    TwinApiError,
)
from twindow.web.container import Portal
from twindow.web.i18n import english_message

# The check command removes this sentence from messages: administrators run the command.
CONTACT = " Please contact your administrator."
CONVERSATION_TITLE = "Twindow check"
MESSAGE = "Count from 1 to 20."
# A reply was buffered if its pieces arrive within the first time, after a pause of the second.
MAX_BURST_SECONDS = 0.05
MIN_PAUSE_SECONDS = 1.0
MIN_PIECES = 5

NO_TWINS = Finding(
    "The service lists no twin that can be read: a twin needs an id.", is_problem=True
)
NO_MESSAGES = "The key may list twins, but send no messages: it may be read-only. {}"
WHOLE_REPLY = "The service sent the reply as a whole: people see nothing until it is complete."
BUFFERED = "The reply arrived at once, after {:.0f} s: the service, or a proxy before it, buffers."
TEXT_IGNORED = "The text of the event `complete` is not the streamed reply, and is ignored."


def check_service(portal: Portal) -> Iterator[Finding]:
    """Ask the service, and yield what is found; a problem is the last finding.

    Nothing is stored on this machine. At the service, one conversation is created and one message
    sent; it is deleted if the service has announced that.
    """
    settings = portal.settings
    reports: list[RateLimitReport] = []
    client = portal.client
    client.on_report = reports.append
    try:
        listed = portal.catalogue.fetch()
    except TwinApiError as error:
        yield _failure(error, settings)
        return
    if not (twins := list(listed.twins.values())):
        yield NO_TWINS
        return
    yield _listed(twins, reports, is_complete=listed.complete)
    yield from _avatar_origins(portal, twins)
    rules = settings.twin_groups.groups_by_twin.keys() - {OTHER_TWINS}
    if listed.complete and (unknown := sorted(rules - listed.twins.keys())):
        names = ", ".join(unknown)
        yield Finding(f"TWINDOW_TWIN_GROUPS names unknown twins: {names}.", is_problem=True)
        return
    yield from _send_message(client, twins[0])


def _listed(
    twins: Sequence[Twin], reports: Sequence[RateLimitReport], *, is_complete: bool
) -> Finding:
    sentence = f"The service responds with {len(twins)} twin{'' if len(twins) == 1 else 's'}"
    if not is_complete:
        sentence += ", and has more than the portal reads"
    if not reports:
        return Finding(f"{sentence}.")
    limit = f" of {reports[-1].limit}" if reports[-1].limit else ""
    return Finding(f"{sentence}; {reports[-1].remaining}{limit} requests left.")


def _avatar_origins(portal: Portal, twins: Sequence[Twin]) -> Iterator[Finding]:
    missing_origin = portal.avatars.downloader.missing_origin
    origins = {missing_origin(twin.avatar_url) for twin in twins if twin.avatar_url}
    if missing := {origin for origin in origins if origin}:
        names = ",".join(sorted(missing | portal.settings.avatar_origins))
        advice = f"To show them, set TWINDOW_AVATAR_ORIGINS={names}"
        yield Finding(f"Some avatars are on other sites. {advice}")


def _send_message(client: Client, twin: Twin) -> Iterator[Finding]:
    conversation: Conversation | None = None
    try:
        conversation = client.create_conversation(twin.id, CONVERSATION_TITLE)
        yield from _read_reply(client, conversation)
    except Forbidden as error:
        sentence = NO_MESSAGES.format(describe_cause(error)).rstrip()
        yield Finding(sentence, is_problem=True, fix="TWINDOW_API_KEY=a key with full access")
    except TwinApiError as error:
        call = "the message" if conversation else "a new conversation"
        reason = describe_cause(error) or english_message(error.code, error.params)
        yield Finding(f"The service did not accept {call}. {reason}", is_problem=True)
    finally:
        if conversation and conversation.delete_url:
            with suppress(TwinApiError):
                client.delete_conversation(conversation.delete_url)


def _read_reply(client: Client, conversation: Conversation) -> Iterator[Finding]:
    sent_at = time.monotonic()
    arrivals: list[float] = []
    key = f"check-{conversation.id}"
    with client.stream_message(conversation.id, MESSAGE, idempotency_key=key) as stream:
        for event in stream:
            match event:
                case Delta():
                    arrivals.append(time.monotonic())
                case Failed(detail, code):
                    reason = (detail or code or "no details").removesuffix(".")
                    yield Finding(f"The service reported an error: {reason}.", is_problem=True)
                    return
                case Complete(text=None) if not arrivals:
                    yield Finding("The reply is empty.", is_problem=True)
                    return
                case Complete(is_text_ignored=True):
                    yield Finding(TEXT_IGNORED)
    seconds = time.monotonic() - sent_at
    if stream.skipped_count:
        yield Finding(f"Events that cannot be read: {stream.skipped_count}.")
    if not arrivals:
        yield Finding(WHOLE_REPLY)
    elif stream.delta_count >= MIN_PIECES and _was_buffered(sent_at, arrivals):
        yield Finding(
            BUFFERED.format(seconds), is_problem=True, fix="proxy_buffering off;  (nginx)"
        )
    else:
        yield Finding(f"A reply arrived in {seconds:.1f} s; pieces: {stream.delta_count}.")


def _was_buffered(sent_at: float, arrivals: Sequence[float]) -> bool:
    return (
        arrivals[-1] - arrivals[0] < MAX_BURST_SECONDS and arrivals[0] - sent_at > MIN_PAUSE_SECONDS
    )


def _failure(error: TwinApiError, settings: Settings) -> Finding:
    message = english_message(list_error_code(error), error.params).removesuffix(CONTACT)
    url = without_credentials(settings.service_url)
    advice = advise_operator(error, settings)
    return Finding(f"The service at {url}: {message} {advice}".rstrip(), is_problem=True)
