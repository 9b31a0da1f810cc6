"""Conversations: endpoints 3 and 4 of the interface, and their deletion."""

from __future__ import annotations

import re

import pytest
from sqlalchemy import select

from tests.service.client import ApiClient
from tests.support.clock import AdjustableClock
from tests.support.upstream import CHAT_COMPLETIONS_PATH, Upstream
from twindow.service.container import Container
from twindow.service.schema import messages

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
BOB = "---\nname: Bob\n---\nYou are Bob.\n"


@pytest.fixture
def with_bob(api: ApiClient, container: Container) -> str:
    """Return a conversation with a second twin, Bob."""
    (container.twins.folder / "bob.md").write_text(BOB)
    return api.create_conversation("bob")


def listed(api: ApiClient, **query: str) -> list[str]:
    """Return the ids of the conversations in a list."""
    return [found["id"] for found in api.get("/conversations", params=query).json()["data"]]


@pytest.mark.spec("S14", "S11", "S17", "S29", "S41", "S44")
def test_conversation_is_created_with_twin_and_title(api: ApiClient):
    answer = api.post("/conversations", json={"twinId": "ada", "title": "On heat"})

    assert (answer.status_code, list(answer.json())) == (201, ["data"])
    made = answer.json()["data"]
    assert set(made) == {"id", "twinId", "title", "createdAt", "updatedAt"}
    assert (made["twinId"], made["title"]) == ("ada", "On heat")
    assert TIME.fullmatch(made["createdAt"])
    assert made["updatedAt"] == made["createdAt"]
    assert api.get(f"/conversations/{made['id']}").json() == answer.json()


@pytest.mark.spec("S16", "S43")
def test_conversation_title_is_optional(api: ApiClient):
    given: list[dict[str, object]] = [{}, {"title": None}, {"title": ""}]
    answers = [api.post("/conversations", json={"twinId": "ada"} | title) for title in given]

    assert [(a.status_code, a.json()["data"]["title"]) for a in answers] == [(201, "")] * 3


@pytest.mark.spec("S2", "S4", "S15")
def test_conversation_is_bound_to_its_twin_whose_file_instructs_the_model(
    api: ApiClient, model: Upstream, with_bob: str
):
    model.always_reply("Hi")
    with_ada = api.create_conversation()
    for conversation in (with_ada, with_bob, with_ada):
        api.send(conversation)

    told = [call.body["messages"][0] for call in model.calls]
    assert {message["role"] for message in told} == {"system"}
    instructions = [message["content"] for message in told]
    assert instructions == ["You are Ada.", "You are Bob.", "You are Ada."]


@pytest.mark.spec("S5", "S30", "S41", "S45", "S49")
def test_conversation_list_has_only_own_conversations_by_creation_newest_first(
    api: ApiClient, stranger: ApiClient, model: Upstream, clock: AdjustableClock
):
    model.always_reply("Hi")
    first = api.create_conversation()
    clock.advance(1)
    second = api.create_conversation()
    clock.advance(1)
    api.send(first)

    assert listed(api) == [second, first]
    assert listed(stranger) == []


@pytest.mark.spec("S5", "S15", "S48")
def test_conversation_list_can_be_filtered_by_twin(api: ApiClient, with_bob: str):
    api.create_conversation()

    assert listed(api, twinId="bob") == [with_bob]
    assert api.get("/conversations?twinId=bob").json()["pagination"]["total"] == 1
    assert listed(api, twinId="nobody") == []


@pytest.mark.spec("S24")
def test_new_messages_change_only_the_update_time_of_a_conversation(
    api: ApiClient, model: Upstream
):
    model.always_reply("Hi")
    path = f"/conversations/{(conversation := api.create_conversation())}"
    made = api.get(path).json()["data"]

    for _ in range(3):
        assert api.send(conversation).status_code == 201

    changed = api.get(path).json()["data"]
    assert changed["updatedAt"] > made["updatedAt"]
    assert changed | {"updatedAt": made["updatedAt"]} == made


@pytest.mark.spec("S24")
def test_deleted_conversation_is_gone_and_its_reply_stops(
    api: ApiClient, model: Upstream, container: Container
):
    model.always_reply("Hi")
    made = api.post("/conversations", json={"twinId": "ada"})
    path = made.links["delete"]["url"].removeprefix("/api/v1")
    conversation = made.json()["data"]["id"]
    api.send(conversation)
    del model.answers[CHAT_COMPLETIONS_PATH]
    events = api.stream(conversation, "Again")
    next(events)
    call = model.next_call().start_stream()

    assert api.delete(path).status_code == 204

    assert [*events][-1]["code"] == "stopped"
    assert call.wait_for_disconnect()
    assert [api.get(path).status_code, api.delete(path).status_code] == [404, 404]
    assert listed(api) == []
    with container.database.read() as connection:
        assert connection.execute(select(messages)).all() == []
