"""The resources and their fields."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

import pytest

from service.container import Container
from tests.service.client import ApiClient
from tests.support.upstream import Upstream

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
MESSAGE = {
    "id",
    "conversationId",
    "role",
    "content",
    "createdAt",
    "replyTo",
    "sources",
    "status",
}
MESSAGE |= {"cutOff", "usage"}


def jwt(container: Container, sub: str = "alice") -> dict[str, str]:
    return {"Authorization": f"Bearer {container.jwt_tokens.sign(sub)}"}


def make_key(api: ApiClient, container: Container, **body: Any) -> Any:
    body = {"name": "laptop", "scope": "read_only"} | body
    return api.post("/auth/api-keys", json=body, headers=jwt(container))


@pytest.mark.spec("S12")
def test_twin_id_is_its_file_name_everywhere(api: ApiClient, container: Container):
    odd = "Größe & co #1"
    (container.twins.folder / f"{odd}.md").write_text("---\nname: Odd\n---\n")

    assert odd in [twin["id"] for twin in api.get("/twins").json()["data"]]
    assert api.get(f"/twins/{quote(odd)}").json()["data"]["id"] == odd
    made = api.post("/conversations", json={"twinId": odd}).json()["data"]
    assert made["twinId"] == odd
    assert api.get("/conversations", params={"twinId": odd}).json()["data"] == [made]


@pytest.mark.spec("S14", "S44")
def test_conversation_id_addresses_the_conversation(api: ApiClient, model: Upstream):
    model.always_reply("Hi")
    made = api.post("/conversations", json={"twinId": "ada"}).json()["data"]

    assert api.get(f"/conversations/{made['id']}").json()["data"] == made
    message = api.post(f"/conversations/{made['id']}/messages", json={"content": "Hello"})
    assert message.json()["data"]["conversationId"] == made["id"]


@pytest.mark.spec("S17")
def test_conversation_resource_has_id_twin_title_and_timestamps(api: ApiClient):
    made = api.post("/conversations", json={"twinId": "ada"}).json()["data"]

    assert set(made) == {"id", "twinId", "title", "createdAt", "updatedAt"}
    assert TIME.fullmatch(made["createdAt"])
    assert made["updatedAt"] == made["createdAt"]


@pytest.mark.spec("S18")
def test_message_content_is_stored_unchanged(api: ApiClient, model: Upstream):
    for content in ("  Grüße,\r\n\tAda! 👩‍🔬 ", "<b>&amp;</b>", '"\\u0041"', "0"):
        model.always_reply(content)
        path = f"/conversations/{api.create_conversation()}/messages"

        assert api.post(path, json={"content": content}).json()["data"]["content"] == content

        kept = [message["content"] for message in api.get(path).json()["data"]]
        assert kept == [content, content]
        assert model.calls[-1].body["messages"][-1]["content"] == content


@pytest.mark.spec("S19")
def test_message_resource_has_its_role_and_the_message_it_replies_to(
    api: ApiClient, model: Upstream
):
    model.always_reply("Hi")
    conversation = api.create_conversation()
    path = f"/conversations/{conversation}/messages"
    answered = api.post(path, json={"content": "Hello"}).json()["data"]

    message, reply = api.get(path).json()["data"]
    assert answered == reply
    assert set(message) == set(reply) == MESSAGE
    assert (message["role"], reply["role"]) == ("user", "assistant")
    assert (message["replyTo"], reply["replyTo"]) == (None, message["id"])
    for each in (message, reply):
        assert each["conversationId"] == conversation
        assert each["status"] == "complete"
        assert TIME.fullmatch(each["createdAt"])


@pytest.mark.spec("S20")
def test_api_key_has_the_name_chosen_by_the_caller(api: ApiClient, container: Container):
    name = " Größe's <laptop> "
    first, second = (make_key(api, container, name=name).json()["data"] for _ in range(2))

    assert (first["name"], second["name"]) == (name, name)
    assert first["id"] != second["id"]


@pytest.mark.spec("S21", "S59")
def test_unknown_scope_is_rejected(api: ApiClient, container: Container):
    scopes = ["admin", "READ_ONLY", "read_only ", "", None, 1, ["read_only"]]
    answers = [make_key(api, container, scope=scope) for scope in scopes]

    told = [(a.status_code, a.json()["details"][0]["field"]) for a in answers]
    assert told == [(422, "scope")] * len(scopes)


@pytest.mark.spec("S22", "S60")
def test_new_api_key_is_returned_with_its_secret(api: ApiClient, container: Container):
    made = make_key(api, container).json()["data"]

    assert set(made) == {"id", "name", "scope", "key", "createdAt", "expiresAt", "lastUsedAt"}
    assert TIME.fullmatch(made["createdAt"])
    assert (made["expiresAt"], made["lastUsedAt"]) == (None, None)
    assert api.get("/twins", headers={"X-API-Key": made["key"]}).status_code == 200


@pytest.mark.spec("S23", "S91")
def test_every_list_response_has_pagination(api: ApiClient, model: Upstream, container: Container):
    model.always_reply("Hi")
    (container.twins.folder / "bob.md").write_text("---\nname: Bob\n---\n")
    conversations = [api.create_conversation(), api.create_conversation()]
    messages = f"/conversations/{conversations[0]}/messages"
    make_key(api, container)
    api.post(messages, json={"content": "Hello"})

    for path in ("/twins", "/conversations", messages, "/auth/api-keys"):
        headers = jwt(container) if path == "/auth/api-keys" else api.headers
        answer = api.get(path, params={"page": 2, "limit": 1}, headers=headers).json()

        assert len(answer["data"]) == 1, path
        assert answer["pagination"] == {"page": 2, "limit": 1, "total": 2, "pages": 2}
        assert api.get(path, params={"limit": 101}, headers=headers).status_code == 400
