"""Store the end of a reply as a code with parameters instead of an English sentence."""

import json
import re
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"

BATCH = 200
NOT_SENT = " Your message was not sent."
# The sentences of earlier revisions, and their codes.
CODES = {
    "You stopped this reply.": "stopped",
    "The conversation was deleted, so this reply was stopped.": "conversation_deleted",
    "The reply was cut off, because Twindow is being restarted. What came so far is kept.": (
        "shutting_down"
    ),
    "The reply was cut off, because Twindow was restarted. What came so far is kept.": (
        "worker_died"
    ),
    "This reply was cut off: it is as long as a reply may be here. Ask for the rest.": (
        "reply_cut_off"
    ),
    "The reply was empty.": "reply_empty",
    "The reply could not be saved, because the database did not answer for too long. "
    "Copy what you need: it may be gone when you come back.": "reply_not_saved",
    "Your message is too long for the model that answers here. Try a shorter one.": (
        "message_too_long"
    ),
    "This conversation, or its twin, is no longer there at the service. What was said here is "
    "kept.": "conversation_gone",
    "The portal could not look into its own database for a moment.": "database_unreadable",
    "Something went wrong here while the reply came. What came so far is kept.": "internal_error",
    "The service reported an error without details.": "service_error",
    "The service could not be used.": "service_unusable",
    "The service cannot be reached.": "not_connected",
    "The secure connection to the service failed. Please tell the operator.": "tls_failed",
    "The service does not answer in time.": "response_timeout",
    "The service closed the connection without an answer.": "connection_closed",
    "The connection to the service broke off.": "connection_lost",
    "The portal's access to the service was refused. Please tell the operator.": "unauthorized",
    "The portal's key may only read. Please tell the operator.": "forbidden",
    "This is no longer there at the service.": "not_found",
    "Another reply is in progress in this conversation. Wait a moment, then try again.": (
        "conflict"
    ),
    "The service did not accept the message.": "rejected",
    "The service has had too many requests for now.": "rate_limited",
    "The service has a problem at the moment.": "service_failed",
    "The service gave an unexpected answer. Please tell the operator.": "unexpected_response",
    "The reply was cut off. What came so far is kept.": "stream_interrupted",
    "The service was quiet for too long, so the reply was given up. What came so far is kept.": (
        "idle_timeout"
    ),
    "The reply took too long and was given up. What came so far is kept.": "total_timeout",
    "The reply is too long to be shown.": "stream_too_large",
}
PATTERNS = (
    (
        "reply_too_long",
        re.compile(
            r"The reply is too long and was cut off here\. Its first (?P<count>[\d,]+) characters "
            r"are kept\."
        ),
    ),
    (
        "rejected_with_reason",
        re.compile(r"The service did not accept the message: (?P<said>.*)", re.DOTALL),
    ),
    (
        "service_error_with_reason",
        re.compile(r"The service reported an error: (?P<said>.*)", re.DOTALL),
    ),
)
ENDS = """SELECT turn_id, seq, data FROM entries
    WHERE kind = 'ended' AND turn_id > :turn_id ORDER BY turn_id LIMIT :limit"""
UPDATE = "UPDATE entries SET data = :data WHERE turn_id = :turn_id AND seq = :seq"


def upgrade() -> None:
    """Convert the end entry of each reply, in batches."""
    connection = op.get_bind()
    last = ""
    while rows := connection.execute(sa.text(ENDS), {"turn_id": last, "limit": BATCH}).all():
        changes = [
            {"turn_id": row.turn_id, "seq": row.seq, "data": data}
            for row in rows
            if (data := converted(bytes(row.data)))
        ]
        if changes:
            connection.execute(sa.text(UPDATE), changes)
        last = rows[-1].turn_id


def converted(data: bytes) -> bytes | None:
    """Return the entry with a code instead of its sentence; None if it has no sentence."""
    entry: dict[str, Any] = json.loads(data)
    sentence = entry.pop("sentence", "")
    if not sentence:
        return None
    entry["code"], params = code_of(sentence.removesuffix(NOT_SENT))
    if params:
        entry["params"] = params
    return json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode()


def code_of(sentence: str) -> tuple[str, dict[str, str]]:
    """Return the code and the parameters that replace a sentence."""
    if sentence in CODES:
        return CODES[sentence], {}
    for code, pattern in PATTERNS:
        if match := pattern.fullmatch(sentence):
            return code, {
                name: value.replace(",", "") if name == "count" else value
                for name, value in match.groupdict().items()
            }
    return "other", {"said": sentence}
