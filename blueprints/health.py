"""Health checks for operators and load balancers: liveness, readiness and streaming."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from flask import Blueprint, Response, abort

from twindow.core import sse
from twindow.web.container import portal
from twindow.web.exemptions import session_not_required
from twindow.web.probes import (
    DELAYED_EVENT,
    END_DELAY_SECONDS,
    EVENT_DELAY_SECONDS,
    is_signed_probe,
    observe_request,
)
from twindow.web.streaming import stream_limit

bp = Blueprint("health", __name__)

TEXT_HEADERS = {"Content-Type": "text/plain; charset=utf-8"}


@bp.get("/livez")
@bp.get("/healthz")
@session_not_required
def live() -> tuple[str, int, dict[str, str]]:
    """Return 200 if the process responds. Checks nothing that a restart would not fix."""
    return "ok\n", 200, TEXT_HEADERS


@bp.get("/readyz")
@session_not_required
def ready() -> tuple[str, int, dict[str, str]]:
    """Return 200, or 503 while the database is not writable and messages cannot be stored.

    Does not call the service, to save its quota.
    """
    if portal().log.can_write():
        return live()
    return "The database is not writable.\n", 503, TEXT_HEADERS


@bp.get("/healthz/request")
@session_not_required
def show_request() -> Response:
    """Show `twindow check` what the portal sees of this request. Other clients get status 404."""
    if not is_signed_probe():
        abort(404)
    return Response(msgspec.json.encode(observe_request()), mimetype="application/json")


@bp.get("/healthz/stream")
@session_not_required
def stream() -> Response:
    """Stream two events early and one late, so that a client can detect a buffering proxy.

    One early event is not enough: some proxies pass it with the response headers, and buffer the
    rest.
    """

    if stream_limit.is_stream_limit_reached():
        abort(429)
    clock = portal().clock

    def frames() -> Iterator[str]:
        yield sse.frame("at once")
        clock.sleep(EVENT_DELAY_SECONDS)
        yield sse.frame(DELAYED_EVENT)
        clock.sleep(END_DELAY_SECONDS)
        yield sse.frame("later")

    return stream_limit.count_stream(Response(frames(), headers=sse.HEADERS))
