"""The document, sentence by sentence, as far as it is about endpoints."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec
import pytest

from service.conversations import StillReplying
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


def test_6_streams_the_reply_and_ends_once(api: Api, model: Model):
    events = api.stream(conversation := api.converse(), "Hello")
    with ThreadPoolExecutor(1) as pool:
        rest = pool.submit(list, events)
        model.say("Hi ", "there")
        *before, complete = rest.result(10)

    assert before == [
        {"type": "progress", "progress": {"stage": "thinking", "percent": None}},
        {"type": "progress", "progress": {"stage": "writing", "percent": None}},
        {"type": "delta", "content": "Hi "},
        {"type": "delta", "content": "there"},
    ]
    assert complete["type"] == "complete"
    assert complete["message"]["content"] == "Hi there"
    history = api.get(f"/conversations/{conversation}/messages").json()["data"]
    assert history[-1] == complete["message"]


def test_6_the_model_is_told_who_it_is_and_what_was_said(api: Api, model: Model):
    conversation = api.converse()
    for said, reply in (("First", "One"), ("Second", "Two")):
        with ThreadPoolExecutor(1) as pool:
            events = pool.submit(list, api.stream(conversation, said))
            call = model.say(reply)
            events.result(10)

    assert call.path == "/v1/chat/completions"
    assert call.body["messages"] == [
        {"role": "system", "content": "You are Ada."},
        {"role": "user", "content": "What is one and one?"},
        {"role": "assistant", "content": "Two."},
        {"role": "user", "content": "First"},
        {"role": "assistant", "content": "One"},
        {"role": "user", "content": "Second"},
    ]
    assert (call.body["temperature"], call.body["max_tokens"]) == (0.2, 50)
    assert call.body["model"] == "scripted"


def test_6_one_reply_at_a_time(api: Api, model: Model):
    conversation = api.converse()
    events = api.stream(conversation, "Hello")
    assert next(events)["type"] == "progress"

    answer = api.post(f"/conversations/{conversation}/messages", json={"content": "Me too"})

    assert answer.status_code == 409
    assert answer.json()["code"] == "still_replying"
    with ThreadPoolExecutor(1) as pool:
        rest = pool.submit(list, events)
        model.say("Done")
        assert rest.result(10)[-1]["type"] == "complete"
    assert len(api.get(f"/conversations/{conversation}/messages").json()["data"]) == 2


@pytest.mark.parametrize(
    ("status", "sentence"),
    [
        (500, "The model has a problem at the moment."),
        (429, "The model has too much to do at the moment. Try again in a minute."),
        (401, "The model server refused the service's key. Please tell the operator."),
        (404, "The model server does not know the model. Please tell the operator."),
    ],
)
def test_6_a_model_that_fails_is_an_error_event_and_the_next_message_works(
    api: Api, model: Model, status: int, sentence: str
):
    conversation = api.converse()
    with ThreadPoolExecutor(1) as pool:
        events = pool.submit(list, api.stream(conversation, "Hello"))
        model.next_call().answer(status, {"error": "secret detail /home/x"})
        *_, error = events.result(10)
        assert error == {"type": "error", "error": sentence, "code": "model_failed"}

        events = pool.submit(list, api.stream(conversation, "Again"))
        model.say("Better")
        assert events.result(10)[-1]["message"]["content"] == "Better"


def test_6_a_model_that_breaks_off_is_an_error_event(api: Api, model: Model):
    with ThreadPoolExecutor(1) as pool:
        events = pool.submit(list, api.stream(api.converse(), "Hello"))
        call = model.next_call().begin()
        model.piece(call, "Half")
        call.finish()
        *_, delta, error = events.result(10)

    assert delta == {"type": "delta", "content": "Half"}
    assert error["error"] == "The model broke off in the middle of its reply."


def test_6_a_prompt_that_is_too_long_is_shortened_until_it_fits(api: Api, model: Model):
    too_long = {"error": {"type": "exceed_context_size_error", "message": "context size"}}
    with ThreadPoolExecutor(1) as pool:
        events = pool.submit(list, api.stream(api.converse(), "Hello"))
        model.next_call().answer(400, too_long)
        model.say("It fits")
        assert events.result(10)[-1]["message"]["content"] == "It fits"


def test_6_whoever_hangs_up_frees_the_conversation_and_stops_the_model(api: Api, model: Model):
    conversation = api.converse()
    path = f"/conversations/{conversation}/messages/stream"
    response = api.post(path, json={"content": "Hello"}, stream=True)
    call = model.next_call().begin()
    model.piece(call, "Half")
    response.raw.read1(65536)
    response.close()

    assert call.wait_for_hangup()
    with ThreadPoolExecutor(1) as pool:
        events = pool.submit(list, api.stream(conversation, "Next"))
        model.say("Yes")
        assert events.result(10)[-1]["message"]["content"] == "Yes"
    history = api.get(f"/conversations/{conversation}/messages").json()["data"]
    assert [m["content"] for m in history] == ["Hello", "Half", "Next", "Yes"]


def test_6_whoever_hangs_up_while_the_model_thinks_frees_the_conversation(
    api: Api, model: Model, parts: Parts
):
    conversation = api.converse()
    path = f"/conversations/{conversation}/messages/stream"
    response = api.post(path, json={"content": "Hello"}, stream=True)
    thinking = model.next_call()
    response.close()
    while parts.replies._running:
        threading.Event().wait(0.01)

    with ThreadPoolExecutor(1) as pool:
        events = pool.submit(list, api.stream(conversation, "Next"))
        model.say("Yes")
        assert events.result(10)[-1]["message"]["content"] == "Yes"
    thinking.finish()


def test_6_a_reply_that_cannot_be_stored_ends_all_the_same(
    api: Api, model: Model, parts: Parts, monkeypatch: pytest.MonkeyPatch
):
    events = api.stream(api.converse(), "Hello")
    next(events)
    monkeypatch.setattr(parts.conversations, "reply", lambda *_: 1 / 0)
    with ThreadPoolExecutor(1) as pool:
        rest = pool.submit(list, events)
        model.say("Hi")
        assert rest.result(10)[-1]["error"] == "The reply could not be stored."


def test_6_a_long_reply_keeps_its_lease(
    api: Api, model: Model, parts: Parts, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("service.replies.LEASE_SECONDS", 0.03)
    renewed = threading.Event()
    renew = parts.conversations.renew

    def noted(message_ids: list[str]) -> None:
        renew(message_ids)
        if message_ids:
            renewed.set()

    monkeypatch.setattr(parts.conversations, "renew", noted)
    events = api.stream(api.converse(), "Hello")
    next(events)
    assert renewed.wait(10)
    with ThreadPoolExecutor(1) as pool:
        rest = pool.submit(list, events)
        model.say("Hi")
        assert rest.result(10)[-1]["type"] == "complete"


def test_6_a_late_end_does_not_take_the_lease_of_another_reply(parts: Parts):
    conversation = parts.conversations.create("alice", "ada", "")
    late = parts.conversations.say(conversation, "first")
    with parts.database.write() as connection:
        connection.exec_driver_sql("UPDATE service_conversations SET replying_until = 1")
    parts.conversations.say(conversation, "second")

    parts.conversations.reply(late, "late")

    with pytest.raises(StillReplying):
        parts.conversations.say(conversation, "third")


def test_an_address_with_a_nul_is_refused(api: Api):
    assert api.get("/conversations?twinId=%00").status_code == 400
    assert api.get("/conversations/%00").status_code == 400


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


BAD_BODIES: list[tuple[str, bytes, int]] = [
    ("no body", b"", 400),
    ("not JSON", b"{", 400),
    ("an array", b"[]", 422),
    ("null", b"null", 422),
    ("a number", b'{"content": 3}', 422),
    ("nothing in it", b"{}", 422),
    ("empty", b'{"content": ""}', 422),
    ("blank", b'{"content": " "}', 422),
    ("too long", b'{"content": "' + b"x" * 32_001 + b'"}', 422),
    ("too large", b'{"content": "' + b"x" * 300_000 + b'"}', 413),
    ("NUL", b'{"content": "a\\u0000b"}', 422),
    ("invalid UTF-8", b'{"content": "\xff"}', 400),
    ("a lone surrogate", b'{"content": "\\ud800"}', 400),
    ("deeply nested", b'{"content": ' + b"[" * 100_000, 422),
]


@pytest.mark.parametrize(
    ("body", "status"), [c[1:] for c in BAD_BODIES], ids=[c[0] for c in BAD_BODIES]
)
def test_a_bad_body_is_refused_and_nothing_is_stored(api: Api, body: bytes, status: int):
    conversation = api.converse()
    headers = api.headers | {"Content-Type": "application/json"}

    for end in ("messages", "messages/stream"):
        answer = api.post(f"/conversations/{conversation}/{end}", data=body, headers=headers)

        assert answer.status_code == status
        assert set(answer.json()) == {"error", "code", "details"}
    assert api.get(f"/conversations/{conversation}/messages").json()["data"] == []


def test_a_body_must_say_that_it_is_json(api: Api):
    answer = api.post("/conversations", data=b'{"twinId":"ada"}')

    assert answer.status_code == 415


def test_what_is_not_yours_is_not_there(api: Api, url: str, parts: Parts):
    conversation = api.converse()
    stranger = Api(url, parts.keys.make("bob", "his", "full_access")[1])
    paths: list[tuple[Any, str, dict[str, Any]]] = [
        (stranger.get, f"/conversations/{conversation}", {}),
        (stranger.get, f"/conversations/{conversation}/messages", {}),
        (stranger.post, f"/conversations/{conversation}/messages", {"json": {"content": "x"}}),
        (stranger.get, "/conversations/none", {}),
        (stranger.get, "/twins/none", {}),
        (stranger.post, "/conversations", {"json": {"twinId": "none"}}),
    ]

    answers = [ask(path, **parts) for ask, path, parts in paths]

    assert {answer.status_code for answer in answers} == {404}
    assert len({answer.text for answer in answers}) == 1
    stranger.session.close()


def test_unknown_addresses_and_methods_answer_in_the_same_shape(api: Api):
    unknown = api.get("/nowhere")
    wrong = api.post("/twins", json={})

    assert (unknown.status_code, unknown.json()["code"]) == (404, "not_found")
    assert (wrong.status_code, wrong.json()["code"]) == (405, "method_not_allowed")
    assert "GET" in wrong.headers["Allow"]


def test_without_a_name_the_first_model_of_the_server_is_asked(
    api: Api, model: Model, parts: Parts
):
    parts.model._settings = msgspec.structs.replace(parts.settings, model=None)
    model.upstream.answers["/v1/models"] = 200, {"data": [{"id": "first"}, {"id": "second"}]}

    for _ in range(2):
        with ThreadPoolExecutor(1) as pool:
            events = pool.submit(list, api.stream(api.converse(), "Hello"))
            call = model.say("Hi")
            events.result(10)
        assert call.body["model"] == "first"
    assert [c.path for c in model.upstream.calls].count("/v1/models") == 1
