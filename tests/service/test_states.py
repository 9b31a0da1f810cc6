"""States of a reply and of its conversation."""

from __future__ import annotations

import pytest

from tests.service.client import ApiClient
from tests.support.upstream import Upstream


@pytest.fixture
def one_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limit the model to one reply at a time."""
    monkeypatch.setenv("TWINDOW_MODEL_PARALLEL", "1")


@pytest.mark.spec("S24")
@pytest.mark.usefixtures("one_place")
def test_reply_is_queued_then_thinking_then_writing_then_complete(api: ApiClient, model: Upstream):
    before, conversation = api.stream(api.create_conversation(), "Hello"), api.create_conversation()
    assert next(before)["progress"]["stage"] == "thinking"
    running = model.next_call()
    events = api.stream(conversation, "Me too")
    queued = next(events)
    running.start_stream().complete()
    list(before)
    model.reply("Hi")
    *rest, end = events

    assert queued["progress"]["stage"] == "queued"
    assert isinstance(queued["progress"]["ahead"], int)
    stages = [event["progress"]["stage"] for event in rest if event["type"] == "progress"]
    assert stages == ["thinking", "writing"]
    assert (end["type"], end["message"]["status"]) == ("complete", "complete")


@pytest.mark.spec("S24")
def test_interrupted_reply_is_incomplete_and_frees_the_conversation(
    api: ApiClient, model: Upstream
):
    conversation = api.create_conversation()
    events = api.stream(conversation, "Hello")
    next(events)
    call = model.next_call().start_stream()
    call.delta("Half")
    call.close()
    assert list(events)[-1]["type"] == "error"

    model.always_reply("Whole")
    assert api.post(f"/conversations/{conversation}/messages", json={"content": "Next"}).ok

    history = api.get(f"/conversations/{conversation}/messages").json()["data"]
    assert [(message["content"], message["status"]) for message in history] == [
        ("Hello", "complete"),
        ("Half", "incomplete"),
        ("Next", "complete"),
        ("Whole", "complete"),
    ]


@pytest.mark.spec("S24")
def test_new_messages_change_only_the_update_time_of_a_conversation(
    api: ApiClient, model: Upstream
):
    model.always_reply("Hi")
    conversation = api.create_conversation()
    made = api.get(f"/conversations/{conversation}").json()["data"]

    for _ in range(3):
        sent = api.post(f"/conversations/{conversation}/messages", json={"content": "Hello"})
        assert sent.status_code == 201

    spoken_in = api.get(f"/conversations/{conversation}").json()["data"]
    assert spoken_in["updatedAt"] > made["updatedAt"]
    assert spoken_in | {"updatedAt": made["updatedAt"]} == made
