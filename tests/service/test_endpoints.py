"""The document, sentence by sentence, as far as it is about endpoints."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from service.current import Parts
from tests.service.conftest import Api, Model


def test_1_lists_twins_in_data(api: Api):
    answer = api.get("/twins").json()

    assert [twin["id"] for twin in answer["data"]] == ["ada"]
    assert answer["pagination"] == {"page": 1, "limit": 20, "total": 1, "pages": 1}


def test_1_pages_are_1_based(api: Api, parts: Parts):
    for number in range(5):
        (parts.twins.folder / f"t{number}.md").write_text(f"---\nname: T{number}\n---\n")

    second = api.get("/twins?page=2&limit=2").json()
    beyond = api.get("/twins?page=9&limit=2").json()

    assert [twin["id"] for twin in second["data"]] == ["t1", "t2"]
    assert second["pagination"] == {"page": 2, "limit": 2, "total": 6, "pages": 3}
    assert beyond["data"] == []


@pytest.mark.parametrize("query", ["limit=101", "limit=0", "limit=x", "page=0", "page=-1", "page="])
def test_1_a_page_that_cannot_be_is_refused_with_its_field(api: Api, query: str):
    answer = api.get(f"/twins?{query}")

    assert answer.status_code == 400
    assert answer.json()["details"][0]["field"] == query.partition("=")[0]


def test_2_shows_a_twin_but_not_its_instructions(api: Api):
    twin = api.get("/twins/ada").json()["data"]

    assert twin["name"] == "Ada"
    assert twin["starters"] == ["One", "Two", "Three"]
    assert "You are Ada" not in str(twin)
    assert set(twin) == {
        *("id", "name", "description", "avatarUrl", "greeting", "starters"),
        *("createdAt", "updatedAt"),
    }


def test_3_creates_a_conversation(api: Api):
    answer = api.post("/conversations", json={"twinId": "ada", "title": "On heat"})

    assert answer.status_code == 201
    made = answer.json()["data"]
    assert (made["twinId"], made["title"]) == ("ada", "On heat")
    assert api.get(f"/conversations/{made['id']}").json()["data"] == made


def test_4_lists_own_conversations_newest_first(api: Api, url: str, parts: Parts):
    first, second = api.converse(), api.converse()
    stranger = Api(url, parts.keys.make("bob", "his", "full_access")[1])

    assert [c["id"] for c in api.get("/conversations").json()["data"]] == [second, first]
    assert api.get("/conversations?twinId=nobody").json()["data"] == []
    assert stranger.get("/conversations").json()["data"] == []
    stranger.session.close()


def test_5_returns_the_reply(api: Api, model: Model):
    conversation = api.converse()
    with ThreadPoolExecutor(1) as pool:
        sent = pool.submit(
            api.post, f"/conversations/{conversation}/messages", json={"content": "Hello"}
        )
        model.say("Hi ", "there")
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


def test_7_creates_a_key_with_a_jwt(api: Api, url: str, parts: Parts):
    token = parts.tokens.sign("alice")
    answer = api.post(
        "/auth/api-keys",
        json={"name": "laptop", "scope": "read_only"},
        headers={"Authorization": f"Bearer {token}"},
    )

    assert answer.status_code == 201
    made = answer.json()["data"]
    assert (made["name"], made["scope"]) == ("laptop", "read_only")
    friend = Api(url, made["key"])
    assert friend.get("/twins").status_code == 200
    assert friend.post("/conversations", json={"twinId": "ada"}).status_code == 403
    friend.session.close()
