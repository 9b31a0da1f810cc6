"""What the operator asks in a shell."""

from __future__ import annotations

from flask import Flask

from tests.support.upstream import UPSTREAM_KEY, Upstream


def check(app: Flask, *more: str) -> tuple[int, str]:
    result = app.test_cli_runner().invoke(args=["twindow", "check", *more])
    assert UPSTREAM_KEY not in result.output
    return result.exit_code, result.output


def test_all_is_well(app: Flask, url: str):
    assert check(app, "--through", url) == (
        0,
        (
            "The database can be written.\n"
            "The service answers, with 2 twins; 500 of 500 requests are left.\n"
            "Streams pass at once.\n"
        ),
    )


def test_a_service_that_is_away_is_named(app: Flask, upstream: Upstream):
    upstream.stop()

    status, said = check(app)

    assert status == 1
    assert f"The service at {upstream.url}: The service cannot be reached." in said


def test_an_address_where_nothing_is_is_told(app: Flask, upstream: Upstream):
    upstream.answers["/healthz/stream"] = 404, {}

    status, said = check(app, "--through", upstream.url)

    assert status == 1
    assert f"No stream came from {upstream.url}/healthz/stream" in said
