"""Purpose of the service: a client that knows only the interface document can use all of it."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from flask import Flask
from werkzeug.exceptions import NotFound
from werkzeug.middleware.dispatcher import DispatcherMiddleware

import twinapi
from service.container import Container
from tests.service.client import ApiClient
from tests.support.clock import AdjustableClock
from tests.support.portals import serve
from tests.support.upstream import Upstream
from twinapi import Complete, Delta

BOB = "---\nname: Bob\n---\nYou are Bob.\n"


@pytest.fixture
def client(
    url: str, full_key: str, container: Container, model: Upstream
) -> Iterator[twinapi.Client]:
    (container.twins.folder / "bob.md").write_text(BOB)
    model.always_reply("Hi ", "there")
    client = twinapi.Client(url, full_key)
    yield client
    client.close()


def send(api: ApiClient, conversation_id: str, content: str = "Hello") -> str:
    """Send a message, and return the whole reply."""
    path = f"/conversations/{conversation_id}/messages"
    return str(api.post(path, json={"content": content}).json()["data"]["content"])


def conversation_ids(api: ApiClient, **query: str) -> list[str]:
    return [found["id"] for found in api.get("/conversations", params=query).json()["data"]]


@pytest.mark.spec("S1")
def test_operations_beyond_the_interface_document_are_marked_as_extensions(api: ApiClient):
    paths = api.get("/openapi.json").json()["paths"]
    about = [found["description"] for methods in paths.values() for found in methods.values()]

    numbered = [text[:11] for text in about if text.startswith("Endpoint")]
    assert numbered == [f"Endpoint {number}." for number in (1, 2, 3, 4, 5, 6, 7)]
    beyond = [text for text in about if not text.startswith("Endpoint")]
    assert beyond
    assert all(text.startswith("An extension.") for text in beyond)


@pytest.mark.spec("S2")
def test_twin_is_configured_by_a_file(client: twinapi.Client, api: ApiClient, model: Upstream):
    assert client.get_twin("bob").name == "Bob"

    send(api, client.create_conversation("bob").id, "Who are you?")

    told = model.calls[-1].body["messages"]
    assert told[0] == {"role": "system", "content": "You are Bob."}
    assert told[-1] == {"role": "user", "content": "Who are you?"}


@pytest.mark.spec("S3")
def test_client_lists_twins_and_reads_one(client: twinapi.Client):
    ada, bob = client.list_twins().items

    assert (ada.id, bob.id) == ("ada", "bob")
    assert client.get_twin(ada.id) == ada


@pytest.mark.spec("S4", "S15")
def test_conversation_is_bound_to_its_twin(client: twinapi.Client, api: ApiClient, model: Upstream):
    with_ada, with_bob = client.create_conversation("ada"), client.create_conversation("bob")
    for conversation in (with_ada, with_bob, with_ada):
        send(api, conversation.id)

    assert (with_ada.twin_id, with_bob.twin_id) == ("ada", "bob")
    asked = [call.body["messages"][0]["content"] for call in model.calls]
    assert asked == ["You are Ada.", "You are Bob.", "You are Ada."]


@pytest.mark.spec("S5")
def test_conversations_are_listed_with_an_optional_twin_filter(
    client: twinapi.Client, api: ApiClient, clock: AdjustableClock
):
    with_ada = client.create_conversation("ada")
    clock.advance(1)
    with_bob = client.create_conversation("bob")

    assert conversation_ids(api) == [with_bob.id, with_ada.id]
    assert conversation_ids(api, twinId="ada") == [with_ada.id]


@pytest.mark.spec("S6")
def test_reply_is_returned_whole_or_as_a_stream(client: twinapi.Client, api: ApiClient):
    conversation = client.create_conversation("ada").id

    whole = send(api, conversation)
    streamed = list(client.stream_message(conversation, "Hello again"))

    assert whole == "Hi there"
    assert "".join(event.text for event in streamed if isinstance(event, Delta)) == "Hi there"
    assert isinstance(streamed[-1], Complete)
    assert streamed[-1].text == "Hi there"


@pytest.mark.spec("S7", "S41", "S56")
def test_client_creates_api_keys_with_a_chosen_scope(
    client: twinapi.Client, url: str, container: Container
):
    token = container.jwt_tokens.sign("carol")
    read_only = client.create_api_key(token, "reader", "read_only").key
    reading, reader = twinapi.Client(url, read_only), ApiClient(url, read_only)
    writing = twinapi.Client(url, client.create_api_key(token, "writer", "full_access").key)

    made = writing.create_conversation("ada")
    assert conversation_ids(reader) == [made.id]
    with pytest.raises(twinapi.Forbidden):
        reading.create_conversation("ada")
    for each in (reading, writing, reader.session):
        each.close()


@pytest.mark.spec("S8")
def test_base_url_may_include_a_path(service: Flask, full_key: str, model: Upstream):
    with serve(DispatcherMiddleware(NotFound(), {"/ai/twins": service})) as url:
        api = ApiClient(f"{url}/ai/twins", full_key)
        client = twinapi.Client(f"{url}/ai/twins", full_key)
        stream = client.stream_message(client.create_conversation("ada").id, "Hello")
        events = iter(stream)
        assert next(events).text == "thinking"
        model.next_call()

        client.stop_reply(stream.cancel_url)

        assert list(events)[-1].detail.endswith("The reply was stopped.")
        assert api.get("/openapi.json").json()["servers"] == [{"url": "/ai/twins/api/v1"}]
        client.close()
        api.session.close()


@pytest.mark.spec("S9")
def test_request_and_response_bodies_are_json(api: ApiClient):
    headers = api.headers | {"Content-Type": "application/json"}
    sent = json.dumps({"twinId": "ada", "title": "Größe ✓"}, ensure_ascii=False).encode()

    answer = api.post("/conversations", data=sent, headers=headers)
    refused = api.post("/conversations", data=b"twinId=ada", headers=headers)

    assert json.loads(answer.content.decode())["data"]["title"] == "Größe ✓"
    assert (refused.status_code, refused.json()["code"]) == (400, "bad_json")
    for each in (answer, refused):
        assert each.headers["Content-Type"] == "application/json"


@pytest.mark.spec("S10")
@pytest.mark.parametrize(
    "path",
    [
        "/conversations",
        "/conversations/{id}/messages",
        "/conversations/{id}/messages/stream",
        "/auth/api-keys",
    ],
)
def test_request_body_requires_the_json_content_type(
    api: ApiClient, model: Upstream, container: Container, path: str
):
    model.always_reply("Hi")
    path = path.format(id=api.create_conversation())
    body = b'{"twinId": "ada", "content": "Hello", "name": "laptop", "scope": "read_only"}'
    jwt = {"Authorization": f"Bearer {container.jwt_tokens.sign('alice')}"}
    headers = jwt if "auth" in path else api.headers

    for kind in ("application/json", "application/json; charset=utf-8", "Application/JSON"):
        answer = api.post(path, data=body, headers=headers | {"Content-Type": kind})
        assert answer.status_code in (200, 201)
    for kind in ("text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""):
        answer = api.post(path, data=body, headers=headers | {"Content-Type": kind})
        assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")
    assert api.post(path, data=body, headers=headers).status_code == 415
