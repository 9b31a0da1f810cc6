"""The command `flask twindow check`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask

from tests.support.portals import serve
from tests.support.processes import free_port
from tests.support.upstream import UPSTREAM_KEY, Call, Upstream


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


def test_check_command_passes_when_everything_works(app: Flask, url: str):
    assert check(app, "--through", url) == (
        0,
        (
            "The database is writable.\n"
            "The service responds with 2 twins.\n"
            "The proxy is set up correctly.\n"
            "Streams are not buffered.\n"
        ),
    )


def test_check_command_reports_an_unreachable_service(app: Flask, upstream: Upstream):
    upstream.stop()

    status, said = check(app)

    assert status == 1
    sentence = "The twin service can't be reached. Connection refused. Check TWINDOW_API_URL."
    assert said == f"The service at {upstream.url}: {sentence}\n"


def test_check_command_names_the_setting_of_a_refused_key(app: Flask, upstream: Upstream):
    upstream.answers["/api/v1/twins"] = 401, {}

    status, said = check(app)

    assert status == 1
    sentence = "(access denied). Status 401. Check TWINDOW_API_KEY."
    assert said.endswith(f"{sentence}\n")
    assert f"The service at {upstream.url}: " in said


def test_check_command_reports_a_proxy_that_does_not_pass_streams(
    app: Flask, settings: dict[str, Any]
):
    def without_streams(environ: Any, start_response: Any) -> Any:
        if environ["PATH_INFO"] == "/healthz/stream":
            start_response("404 Not Found", [])
            return []
        return app(environ, start_response)

    with serve(without_streams, settings["port"]) as url:
        status, said = check(app, "--through", url)

    assert status == 1
    assert f"No stream from {url}/healthz/stream" in said


def test_check_command_rejects_a_malformed_header(app: Flask, url: str):
    status, said = check(app, "--through", url, "--header", "Authorization")

    assert status == 2
    assert "“Authorization” is not like 'NAME: VALUE'." in said


def test_check_command_names_the_reported_limit_and_missing_avatar_origins(
    app: Flask, upstream: Upstream
):
    def list_twins(call: Call) -> None:
        twins = [{"id": "ada", "avatarUrl": "https://images.example.org/ada.png"}]
        call.respond(200, {"data": twins}, x_ratelimit_limit="500", x_ratelimit_remaining="499")

    upstream.answers["/api/v1/twins"] = list_twins

    _, output = check(app)

    assert "TWINDOW_AVATAR_ORIGINS=https://images.example.org\n" in output
    assert "The service responds with 1 twins; 499 of 500 requests left.\n" in output
