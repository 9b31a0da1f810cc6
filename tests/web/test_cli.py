"""The command `flask twindow check`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import func, select

from tests.support.portals import serve
from tests.support.processes import free_port
from tests.support.upstream import UPSTREAM_KEY, Call, Upstream, send_reply
from twindow.chat.schema import api_quotas, conversations, turns, twin_list_cache
from twindow.web.commands import service_check
from twindow.web.container import Portal


@pytest.fixture
def settings(settings: dict[str, Any]) -> dict[str, Any]:
    """Choose the port of the portal."""
    return settings | {"port": free_port()}


@pytest.fixture
def url(app: Flask, settings: dict[str, Any]) -> Iterator[str]:
    """Serve the portal on the port in its settings."""
    with serve(app, settings["port"]) as url:
        yield url


def check(app: Flask, *more: str) -> tuple[int, str]:
    """Return the exit status and the output: stderr, or stdout if stderr is empty."""
    result = app.test_cli_runner().invoke(args=["twindow", "check", *more])
    assert UPSTREAM_KEY not in result.output
    return result.exit_code, result.stderr or result.stdout


STREAM = "/api/v1/conversations/up-1/messages/stream"


def test_check_command_passes_when_everything_works(app: Flask, url: str, upstream: Upstream):
    upstream.answers[STREAM] = lambda call: send_reply(call, "1, ", "2")

    status, output = check(app, "--through", url)

    assert status == 0
    assert re.fullmatch(
        r"The database is writable\.\n"
        r"The service responds with 2 twins\.\n"
        r"A reply arrived in \d\.\d s; pieces: 2\.\n"
        r"The proxy sends the right addresses and headers\.\n"
        r"Streams are not buffered\.\n",
        output,
    )


def test_check_command_sends_one_message_and_deletes_it_where_the_service_has_announced_that(
    app: Flask, upstream: Upstream, portal: Portal
):
    upstream.answers[STREAM] = send_reply
    link = '</api/v1/conversations/up-1>; rel="delete"'
    upstream.answers["/api/v1/conversations"] = lambda call: call.respond(
        201, {"data": {"id": "up-1"}}, link=link
    )
    upstream.answers["/api/v1/conversations/up-1"] = 204, None

    assert check(app)[0] == 0
    requests = [(call.method, call.path.partition("?")[0]) for call in upstream.calls]
    assert requests == [
        ("GET", "/api/v1/twins"),
        ("POST", "/api/v1/conversations"),
        ("POST", STREAM),
        ("DELETE", "/api/v1/conversations/up-1"),
    ]
    assert upstream.calls[1].body == {"twinId": "ada", "title": "Twindow check"}
    with portal.database.read() as connection:
        tables = (conversations, turns, twin_list_cache, api_quotas)
        rows = [connection.execute(select(func.count()).select_from(t)).scalar() for t in tables]
    assert rows == [0, 0, 0, 0]


def test_check_command_sends_nothing_when_it_is_offline(app: Flask, upstream: Upstream):
    assert check(app, "--offline") == (0, "The database is writable.\n")
    assert upstream.calls == []


def send_error(call: Call) -> None:
    call.start_stream().send_event(type="error", error="The engine died")
    call.close()


PROBLEMS = {
    "refused key": (
        "/api/v1/twins",
        (401, {}),
        "(access denied). Status 401. Check TWINDOW_API_KEY.\n",
    ),
    "read-only key": (
        STREAM,
        (403, {"error": "Insufficient scope: full_access required"}),
        "full_access required. Try:\n    TWINDOW_API_KEY=a key with full access\n",
    ),
    "error": (STREAM, send_error, "The service reported an error: The engine died.\n"),
    "empty": (STREAM, lambda call: call.start_stream().complete(), "The reply is empty.\n"),
    "buffered": (
        STREAM,
        lambda call: send_reply(call, *"1234567"),
        "the service, or a proxy before it, buffers. Try:\n    proxy_buffering off;  (nginx)\n",
    ),
    "server error": (
        STREAM,
        (500, {"detail": "no model loaded"}),
        "The service did not accept the message. Status 500: no model loaded.\n",
    ),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_check_command_names_the_cause_why_a_service_does_not_reply(
    app: Flask, upstream: Upstream, monkeypatch: pytest.MonkeyPatch, name: str
):
    monkeypatch.setattr(service_check, "MIN_PAUSE_SECONDS", -1)
    monkeypatch.setattr(service_check, "MAX_BURST_SECONDS", 60)
    path, answer, expected = PROBLEMS[name]
    upstream.answers[path] = answer

    status, output = check(app)

    assert status == 1
    assert output.endswith(expected)


def test_check_command_reports_an_unreachable_service(app: Flask, upstream: Upstream):
    upstream.stop()

    sentence = "The twin service can't be reached. Connection refused. Check TWINDOW_API_URL."
    assert check(app) == (1, f"The service at {upstream.url}: {sentence}\n")


def test_check_command_says_that_a_service_sends_replies_as_a_whole(app: Flask, upstream: Upstream):
    upstream.answers[STREAM] = lambda call: call.start_stream().complete("One, two")
    status, output = check(app)

    assert (status, "people see nothing until it is complete" in output) == (0, True)


def test_check_command_rejects_a_malformed_header(app: Flask, url: str):
    status, output = check(app, "--through", url, "--header", "Authorization")

    assert status == 2
    assert "“Authorization” is not like 'NAME: VALUE'." in output


def test_check_command_names_the_reported_limit_and_missing_avatar_origins(
    app: Flask, upstream: Upstream
):
    def list_twins(call: Call) -> None:
        twins = [{"id": "ada", "avatarUrl": "https://images.example.org/ada.png"}]
        call.respond(200, {"data": twins}, x_ratelimit_limit="500", x_ratelimit_remaining="499")

    upstream.answers |= {"/api/v1/twins": list_twins, STREAM: send_reply}

    _, output = check(app)

    assert "TWINDOW_AVATAR_ORIGINS=https://images.example.org\n" in output
    assert "The service responds with 1 twin; 499 of 500 requests left.\n" in output


def test_check_command_reports_a_proxy_that_does_not_pass_streams(
    app: Flask, settings: dict[str, Any], upstream: Upstream
):
    upstream.answers[STREAM] = send_reply

    def without_streams(environ: Any, start_response: Any) -> Any:
        if environ["PATH_INFO"] != "/healthz/stream":
            return app(environ, start_response)
        start_response("404 Not Found", [])
        return []

    with serve(without_streams, settings["port"]) as url:
        assert f"No stream from {url}/healthz/stream" in check(app, "--through", url)[1]
