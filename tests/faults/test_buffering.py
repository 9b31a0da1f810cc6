"""A proxy that holds streams back is found by the operator's own question."""

from __future__ import annotations

from pathlib import Path

import pytest
from flask import Flask

from tests import nginx

BUFFERING = ("proxy_buffering on;", "proxy_ignore_headers X-Accel-Buffering;")


def check(app: Flask, url: str) -> tuple[int, str]:
    result = app.test_cli_runner().invoke(args=["twindow", "check", "--through", url])
    return result.exit_code, result.output


@pytest.mark.fault("F81")
def test_a_proxy_that_is_set_up_as_documented_is_fine(app: Flask, url: str, tmp_path: Path):
    with nginx.in_front_of(url, tmp_path / "nginx") as front:
        status, said = check(app, front)

    assert status == 0
    assert said.endswith("Streams pass at once.\n")


@pytest.mark.fault("F81")
def test_a_proxy_that_buffers_is_found(app: Flask, url: str, tmp_path: Path):
    with nginx.in_front_of(url, tmp_path / "nginx", *BUFFERING) as front:
        status, said = check(app, front)

    assert status == 1
    assert "WARNING: something between here and the portal holds streams back" in said
    assert "proxy_buffering off" in said


@pytest.mark.fault("F81")
def test_streams_ask_not_to_be_held_back(app: Flask, url: str):
    headers = app.test_client().get("/turns/none/events").headers

    assert headers["X-Accel-Buffering"] == "no"
    assert headers["Cache-Control"] == "no-store, no-transform"
