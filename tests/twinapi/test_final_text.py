"""The text of a reply whose end repeats it, or contains something else."""

from __future__ import annotations

import json
from typing import Any

from twindow.core.sse import ServerSentEvent
from twindow.twinapi import Complete, Failed
from twindow.twinapi.events import EventParser, parse_whole_reply, resolve_text

STREAMED = "The Eiffel Tower is 330 metres tall, and it is in Paris."
UUID = "7c9e6679-7425-40de-944b-e07fc1f90ae7"


def final_text(message: Any, streamed: str) -> str | None:
    """Return the text of a reply that is streamed and ends with `message`."""
    event = ServerSentEvent("message", json.dumps({"type": "complete", "message": message}))
    complete = EventParser().parse(event)
    assert isinstance(complete, Complete)
    return resolve_text(complete, streamed).text or streamed or None


RECEIPTS: list[Any] = [
    "Message completed",
    UUID,
    "msg_01J9ZK",
    {"id": 7, "status": "ok", "message": "Reply generated"},
    {"id": UUID},
    {"id": UUID, "content": " "},
    {"content": "Message completed"},
    "",
    None,
    "OK",
    "The answer is in the document that you sent yesterday.",
    "The Eiffel Tower",
    STREAMED[:20],
    STREAMED.replace("330", "330 or more") + "The rest is something else. " * 5,
]


def test_receipt_at_the_end_does_not_replace_the_streamed_text():
    assert [message for message in RECEIPTS if final_text(message, STREAMED) != STREAMED] == []


CORRECTIONS = [
    STREAMED + " It was built in 1889.",
    STREAMED.replace(" ", "\n"),
    STREAMED.removesuffix("Paris.") + "France.",
    STREAMED + " " + "More about it. " * 50,
]


def test_longer_or_corrected_text_at_the_end_replaces_the_streamed_text():
    assert [text for text in CORRECTIONS if final_text(text, STREAMED) != text] == []
    assert final_text({"content": f"{STREAMED}!"}, STREAMED) == f"{STREAMED}!"


def test_stored_message_at_the_end_replaces_the_streamed_text():
    for record in ({"role": "assistant"}, {"id": 7}, {"id": 7, "status": "ok"}):
        for text in ("I can't say that.", f"No. {STREAMED}", "OK"):
            assert final_text(record | {"content": text}, STREAMED) == text, record


def test_text_at_the_end_is_the_reply_if_nothing_was_streamed():
    for text in ("Yes", "はい、できます。", "42", "Done"):
        assert final_text(text, "") == text
    assert final_text({"text": "A reply."}, "") == "A reply."


def test_id_or_status_alone_is_not_a_reply():
    for message in (
        UUID,
        "msg_01J9ZK4",
        "a1b2c3d4",
        {"status": "completed", "message": "completed"},
    ):
        assert final_text(message, "") is None, message


WHOLE_REPLIES: list[tuple[Any, Complete | Failed]] = [
    ({"status": "error", "message": "engine died"}, Failed("engine died")),
    ({"success": False, "message": "no credits"}, Failed("no credits")),
    ({"error": "overloaded", "message": "try later"}, Failed("try later")),
    ({"status": "ok", "message": "accepted"}, Complete(None, is_text_ignored=True)),
    ({"data": {"content": "Hi", "status": "ok"}}, Complete("Hi")),
    ({"status": "ok", "content": "Hi"}, Complete("Hi")),
    ({"message": "Hi"}, Complete("Hi")),
    ({"reply": "Hi", "success": True}, Complete("Hi")),
    ("Hi", Complete("Hi")),
    (None, Complete(None)),
]


def test_result_report_is_not_taken_for_a_whole_reply():
    found = [(payload, parse_whole_reply(payload)) for payload, _ in WHOLE_REPLIES]

    assert found == WHOLE_REPLIES
