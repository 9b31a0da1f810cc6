"""The thirteen kinds of error, and the shape that they all have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from flask import Flask
from requests import Response

from service.access import rate_limit
from service.api.errors import DEFAULT_ERRORS
from service.container import Container
from tests.service.client import ApiClient
from tests.support.upstream import Upstream


@dataclass(frozen=True, slots=True)
class ErrorRequests:
    """A service, and requests that cause its errors."""

    api: ApiClient
    model: Upstream
    parts: Container
    monkeypatch: pytest.MonkeyPatch

    def say(self, content: str = "Hello") -> Response:
        """Send a message in a new conversation."""
        path = f"/conversations/{self.api.create_conversation()}/messages"
        return self.api.post(path, json={"content": content})

    def less_than_it_needs(self) -> Response:
        """Write with a read-only key."""
        key = self.parts.api_keys.create("alice", "reader", "read_only")[1]
        return self.api.post("/conversations", json={"twinId": "ada"}, headers={"X-API-Key": key})

    def twice_at_once(self) -> Response:
        """Send a message while the reply to another is written."""
        conversation = self.api.create_conversation()
        next(self.api.stream(conversation, "Hello"))
        return self.api.post(f"/conversations/{conversation}/messages", json={"content": "Hi"})

    def too_often(self) -> Response:
        """Send a request after the hourly limit is reached."""
        self.monkeypatch.setitem(rate_limit.REQUESTS_PER_HOUR, "full_access", 1)
        self.api.get("/twins")
        return self.api.get("/twins")

    def with_a_bug(self) -> Response:
        """Send a request whose handler raises an exception."""
        self.monkeypatch.setattr("service.api.serializers.twin", lambda _: 1 / 0)
        return self.api.get("/twins")

    def with_a_model_that_fails(self) -> Response:
        """Send a message to a model that fails."""
        self.model.answers["/v1/chat/completions"] = 500, {"error": "secret /home/x"}
        return self.say()

    def with_a_database_that_is_locked(self) -> Response:
        """Send a request while another transaction holds the write lock."""
        self.parts.database.lock_timeout = 0.01
        with self.parts.database.write():
            return self.api.get("/twins")


TROUBLE: dict[tuple[int, str], Callable[[ErrorRequests], Response]] = {
    (400, "invalid"): lambda t: t.api.get("/twins?page=0"),
    (401, "unauthorized"): lambda t: t.api.get("/twins", headers={}),
    (403, "forbidden"): ErrorRequests.less_than_it_needs,
    (404, "not_found"): lambda t: t.api.get("/twins/nobody"),
    (405, "method_not_allowed"): lambda t: t.api.delete("/twins"),
    (409, "still_replying"): ErrorRequests.twice_at_once,
    (413, "too_large"): lambda t: t.say("x" * 600_000),
    (415, "unsupported_media_type"): lambda t: t.api.post("/conversations", data=b"{}"),
    (422, "invalid"): lambda t: t.say(""),
    (429, "rate_limited"): ErrorRequests.too_often,
    (500, "internal_error"): ErrorRequests.with_a_bug,
    (502, "model_failed"): ErrorRequests.with_a_model_that_fails,
    (503, "unavailable"): ErrorRequests.with_a_database_that_is_locked,
}
FIELD_AT_FAULT = {400: "page", 422: "content"}


@pytest.mark.spec("S87", "S88")
def test_every_error_has_a_sentence_a_code_and_the_invalid_fields(
    api: ApiClient, model: Upstream, container: Container
):
    wrong = []
    for (status, code), get_into in TROUBLE.items():
        with pytest.MonkeyPatch.context() as monkeypatch:
            answer = get_into(ErrorRequests(api, model, container, monkeypatch))

        told = answer.json()
        fields = [FIELD_AT_FAULT[status]] if status in FIELD_AT_FAULT else []
        if (
            (answer.status_code, answer.headers["Content-Type"]) != (status, "application/json")
            or list(told) != ["error", "code", "details"]
            or not told["error"].endswith(".")
            or told["code"] != code
            or [detail["field"] for detail in told["details"]] != fields
            or "secret" in answer.text
            or "Traceback" in answer.text
        ):
            wrong.append((status, code, answer.status_code, answer.text))
    assert wrong == []
    assert [status for status, _ in TROUBLE] == list(DEFAULT_ERRORS)


def test_url_with_a_nul_character_is_rejected(api: ApiClient):
    assert api.get("/conversations?twinId=%00").status_code == 400
    assert api.get("/conversations/%00").status_code == 400


@pytest.mark.spec("S39", "S51", "S54")
def test_resources_of_others_give_the_same_404_as_missing_ones(
    api: ApiClient, url: str, container: Container
):
    conversation = api.create_conversation()
    stranger = ApiClient(url, container.api_keys.create("bob", "his", "full_access")[1])
    paths: list[tuple[Any, str, dict[str, Any]]] = [
        (stranger.get, f"/conversations/{conversation}", {}),
        (stranger.get, f"/conversations/{conversation}/messages", {}),
        (stranger.post, f"/conversations/{conversation}/messages", {"json": {"content": "x"}}),
        (
            stranger.post,
            f"/conversations/{conversation}/messages/stream",
            {"json": {"content": "x"}},
        ),
        (stranger.get, "/conversations/none", {}),
        (stranger.post, "/conversations/none/messages", {"json": {"content": "x"}}),
        (stranger.post, "/conversations/none/messages/stream", {"json": {"content": "x"}}),
        (stranger.get, "/twins/none", {}),
        (stranger.post, "/conversations", {"json": {"twinId": "none"}}),
    ]

    answers = [ask(path, **container) for ask, path, container in paths]

    assert {answer.status_code for answer in answers} == {404}
    assert len({answer.text for answer in answers}) == 1
    stranger.session.close()


def test_unknown_paths_and_methods_give_the_common_error_shape(api: ApiClient):
    unknown = api.get("/nowhere")
    wrong = api.post("/twins", json={})

    assert (unknown.status_code, unknown.json()["code"]) == (404, "not_found")
    assert (wrong.status_code, wrong.json()["code"]) == (405, "method_not_allowed")
    assert "GET" in wrong.headers["Allow"]


def test_log_line_of_an_unexpected_error_quotes_the_path_on_one_short_line(
    service: Flask, caplog: pytest.LogCaptureFixture
):
    service.add_url_rule("/fails/<_>", "fails", lambda _: 1 / 0)

    service.test_client().get("/fails/x%0A[ERROR] forged " + "x" * 3_000)

    [line] = caplog.messages
    assert r"GET '/fails/x\n[ERROR] forged xxx" in line
    assert len(line) < 250
