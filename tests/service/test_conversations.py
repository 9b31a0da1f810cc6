"""Conversations: endpoints 3 to 5 of the interface, and the message history."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from service.container import Container
from tests.service.client import ApiClient
from tests.support.clock import AdjustableClock
from tests.support.upstream import Upstream


@pytest.mark.spec("S41", "S44")
def test_conversation_is_created_with_twin_and_title(api: ApiClient):
    answer = api.post("/conversations", json={"twinId": "ada", "title": "On heat"})

    assert answer.status_code == 201
    made = answer.json()["data"]
    assert (made["twinId"], made["title"]) == ("ada", "On heat")
    assert api.get(f"/conversations/{made['id']}").json()["data"] == made


@pytest.mark.spec("S42")
def test_conversation_requires_an_existing_twin(api: ApiClient):
    bodies: list[dict[str, object]] = [{}, {"twinId": None}, {"twinId": 3}, {"twinId": ""}]
    refused = [api.post("/conversations", json=body) for body in bodies]

    told = [(answer.status_code, answer.json()["details"][0]["field"]) for answer in refused]
    assert told == [(422, "twinId")] * len(bodies)
    assert api.post("/conversations", json={"twinId": "nobody"}).status_code == 404
    assert api.get("/conversations").json()["data"] == []


@pytest.mark.spec("S16", "S43")
def test_conversation_title_is_optional(api: ApiClient):
    given: list[dict[str, object]] = [{}, {"title": None}, {"title": ""}]
    answers = [api.post("/conversations", json={"twinId": "ada"} | title) for title in given]

    assert [(a.status_code, a.json()["data"]["title"]) for a in answers] == [(201, "")] * 3


@pytest.mark.spec("S41", "S45", "S49")
def test_conversation_list_has_only_own_conversations_newest_first(
    api: ApiClient, url: str, container: Container
):
    first, second = api.create_conversation(), api.create_conversation()
    stranger = ApiClient(url, container.api_keys.create("bob", "his", "full_access")[1])

    assert [c["id"] for c in api.get("/conversations").json()["data"]] == [second, first]
    assert stranger.get("/conversations").json()["data"] == []
    stranger.session.close()


@pytest.mark.spec("S46", "S47", "S61")
def test_conversation_list_is_paginated_like_the_twin_list(api: ApiClient):
    for _ in range(21):
        newest = api.create_conversation()

    assert len(api.get("/conversations").json()["data"]) == 20
    assert len(api.get("/conversations?page=2").json()["data"]) == 1
    assert [c["id"] for c in api.get("/conversations?limit=1").json()["data"]] == [newest]
    assert api.get("/conversations?limit=100").status_code == 200
    for query in ("page=0", "limit=0", "limit=101"):
        assert api.get(f"/conversations?{query}").status_code == 400


@pytest.mark.spec("S15", "S48")
def test_conversation_list_can_be_filtered_by_twin(api: ApiClient, container: Container):
    (container.twins.folder / "bob.md").write_text("---\nname: Bob\n---\n")
    with_bob = api.post("/conversations", json={"twinId": "bob"}).json()["data"]
    api.create_conversation()

    answer = api.get("/conversations?twinId=bob").json()

    assert (answer["data"], answer["pagination"]["total"]) == ([with_bob], 1)
    assert api.get("/conversations?twinId=nobody").json()["data"] == []


@pytest.mark.spec("S45")
def test_conversation_list_begins_with_the_newest_conversation(
    api: ApiClient, model: Upstream, clock: AdjustableClock
):
    model.always_reply("Hi")
    first = api.create_conversation()
    clock.advance(1)
    second = api.create_conversation()
    api.post(f"/conversations/{first}/messages", json={"content": "Hello"})

    assert [c["id"] for c in api.get("/conversations").json()["data"]] == [second, first]


@pytest.mark.spec("S50", "S53")
def test_sending_a_message_returns_the_whole_reply(api: ApiClient, model: Upstream):
    conversation = api.create_conversation()
    with ThreadPoolExecutor(1) as pool:
        sent = pool.submit(
            api.post, f"/conversations/{conversation}/messages", json={"content": "Hello"}
        )
        model.reply("Hi ", "there")
        answer = sent.result(10)

    assert answer.status_code == 201
    reply = answer.json()["data"]
    assert (reply["role"], reply["content"]) == ("assistant", "Hi there")
    history = api.get(f"/conversations/{conversation}/messages").json()["data"]
    assert [(m["role"], m["content"]) for m in history] == [
        ("user", "Hello"),
        ("assistant", "Hi there"),
    ]
    assert reply["replyTo"] == history[0]["id"]


@pytest.mark.spec("S52", "S54")
def test_blank_message_is_rejected(api: ApiClient):
    path = f"/conversations/{api.create_conversation()}/messages"
    bodies: list[dict[str, object]] = [
        {},
        {"content": None},
        {"content": ""},
        {"content": " \n\t"},
        {"content": "\x1f\x85\ufeff"},
    ]
    refused = [api.post(end, json=body) for end in (path, f"{path}/stream") for body in bodies]

    told = [(answer.status_code, answer.json()["details"][0]["field"]) for answer in refused]
    assert told == [(422, "content")] * 10
    assert api.get(path).json()["data"] == []


@pytest.mark.spec("S63")
def test_message_history_is_paginated_oldest_first(api: ApiClient, model: Upstream):
    path = f"/conversations/{api.create_conversation()}/messages"
    for number in (1, 2, 3):
        model.always_reply(f"Reply {number}")
        api.post(path, json={"content": f"Message {number}"})

    def page(query: str) -> list[str]:
        return [message["content"] for message in api.get(path + query).json()["data"]]

    assert page("?page=1&limit=4") == ["Message 1", "Reply 1", "Message 2", "Reply 2"]
    assert page("?page=2&limit=4") == ["Message 3", "Reply 3"]
    assert len(page("")) == 6


def test_streamed_and_whole_replies_store_the_same_messages(api: ApiClient, model: Upstream):
    model.always_reply("Hi ", "there")
    one, other = api.create_conversation(), api.create_conversation()

    whole = api.post(f"/conversations/{one}/messages", json={"content": "Hello"})
    *_, complete = api.stream(other, "Hello")

    kept = [api.get(f"/conversations/{id_}/messages").json()["data"] for id_ in (one, other)]
    assert [whole.json()["data"], complete["message"]] == [history[-1] for history in kept]
    alike = [[(m["role"], m["content"], m["status"]) for m in history] for history in kept]
    assert (
        alike[0]
        == alike[1]
        == [("user", "Hello", "complete"), ("assistant", "Hi there", "complete")]
    )
