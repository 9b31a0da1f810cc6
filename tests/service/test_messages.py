"""Messages and their replies: endpoints 5 and 6 of the interface, and the history."""

from __future__ import annotations

import re

import pytest

from tests.service.client import ApiClient
from tests.support.upstream import Upstream

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
FIELDS = "id conversationId role content createdAt replyTo sources status cutOff usage"


@pytest.mark.spec("S6", "S11", "S19", "S31", "S32", "S50", "S53", "S62", "S63")
def test_message_and_its_whole_or_streamed_reply_are_in_the_history(
    api: ApiClient, model: Upstream
):
    model.always_reply("Hi ", "there")
    one, other = api.create_conversation(), api.create_conversation()

    whole = api.send(one)
    *_, end = api.stream(other, "Hello")

    assert (whole.status_code, list(whole.json())) == (201, ["data"])
    for conversation, returned in ((one, whole.json()["data"]), (other, end["message"])):
        message, reply = api.history(conversation)
        assert returned == reply
        assert (message["role"], message["content"]) == ("user", "Hello")
        assert (reply["role"], reply["content"]) == ("assistant", "Hi there")
        assert (message["replyTo"], reply["replyTo"]) == (None, message["id"])
        for each in (message, reply):
            assert set(each) == set(FIELDS.split())
            assert (each["conversationId"], each["status"]) == (conversation, "complete")
            assert TIME.fullmatch(each["createdAt"])


@pytest.mark.spec("S18")
def test_message_content_is_stored_unchanged(api: ApiClient, model: Upstream):
    for content in ("  Grüße,\r\n\tAda! 👩‍🔬 ", "<b>&amp;</b>", '"\\u0041"', "0"):
        model.always_reply(content)
        conversation = api.create_conversation()

        assert api.send(conversation, content).json()["data"]["content"] == content

        kept = [message["content"] for message in api.history(conversation)]
        assert kept == [content, content]
        assert model.calls[-1].body["messages"][-1]["content"] == content


@pytest.mark.spec("S52", "S54")
def test_blank_message_is_rejected(api: ApiClient):
    conversation = api.create_conversation()
    path = f"/conversations/{conversation}/messages"
    bodies = [{"content": blank} for blank in (" \n\t", "\x1f\x85\ufeff")]
    refused = [api.post(end, json=body) for end in (path, f"{path}/stream") for body in bodies]

    told = [(answer.status_code, answer.json()["details"][0]["field"]) for answer in refused]
    assert told == [(422, "content")] * 4
    assert api.history(conversation) == []


def test_location_is_where_a_new_resource_can_be_read_and_a_late_stop_succeeds(
    api: ApiClient, model: Upstream
):
    model.always_reply("Hi")
    made = api.post("/conversations", json={"twinId": "ada"})
    conversation, path = made.json()["data"]["id"], f"{made.headers['Location']}/messages"
    assert api.get(made.headers["Location"].removeprefix("/api/v1")).json() == made.json()
    for send in (api.send, api.begin_stream):
        answer = send(conversation)
        assert answer.content  # read to its end
        message, reply = api.history(conversation)[-2:]
        place = answer.headers["Location"].removeprefix("/api/v1")

        assert answer.headers["Location"] == f"{path}/{message['id']}"
        assert api.get(place).json() == {"data": message}
        assert api.get(place.replace(message["id"], reply["id"])).json() == {"data": reply}
        assert api.get(f"/conversations/other/messages/{message['id']}").status_code == 404
        assert api.delete(place).status_code == 204
