"""A proxy that buffers streams is detected by the operator's check command."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import requests
from flask import Flask

from tests.support import nginx
from tests.support.portals import serve
from tests.support.upstream import Upstream, send_reply
from twindow.core.clock import SYSTEM_CLOCK, Clock

pytestmark = pytest.mark.usefixtures("processes")


@pytest.fixture
def clock() -> Clock:
    """Return the system clock, because buffering is detected by real delays."""
    return SYSTEM_CLOCK


def holding_back(url: str) -> Any:
    """Return a proxy that passes a response on only after it has received all of it."""

    def proxy(environ: Any, start_response: Any) -> list[bytes]:
        headers = {
            name.removeprefix("HTTP_").replace("_", "-"): value
            for name, value in environ.items()
            if name.startswith("HTTP_") and name != "HTTP_FORWARDED"
        }
        headers["X-FORWARDED-FOR"] = headers.get("X-FORWARDED-FOR", "") + ", 127.0.0.1"
        whole = requests.get(url + environ["PATH_INFO"], headers=headers, timeout=20)
        kept = {"Content-Type", "X-Fragment"} & set(whole.headers)
        start_response("200 OK", [(name, whole.headers[name]) for name in kept])
        return [whole.content]

    return proxy


def check(app: Flask, url: str) -> tuple[int, str]:
    result = app.test_cli_runner().invoke(args=["twindow", "check", "--through", url])
    return result.exit_code, result.output


@pytest.mark.fault("F81")
def test_check_succeeds_through_a_proxy_configured_as_documented(
    app: Flask, url: str, tmp_path: Path, upstream: Upstream
):
    upstream.answers["/api/v1/conversations/up-1/messages/stream"] = send_reply
    with nginx.run_nginx(url, tmp_path / "nginx") as front:
        status, output = check(app, front)

    assert status == 0
    assert output.endswith("Streams are not buffered.\n")


@pytest.mark.fault("F81")
def test_check_reports_a_buffering_proxy(app: Flask, url: str, upstream: Upstream):
    upstream.answers["/api/v1/conversations/up-1/messages/stream"] = send_reply
    with serve(holding_back(url)) as front:
        status, output = check(app, front)

    assert status == 1
    assert "A proxy buffers streams" in output
    assert "proxy_buffering off" in output


@pytest.mark.fault("F81")
def test_event_streams_ask_proxies_not_to_buffer(app: Flask, url: str):
    headers = app.test_client().get("/turns/none/events", buffered=True).headers

    assert headers["X-Accel-Buffering"] == "no"
    assert headers["Cache-Control"] == "no-store, no-transform"
