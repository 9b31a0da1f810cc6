"""Probes of `twindow check`: what the portal sees of a request, and a stream with a late event."""

from __future__ import annotations

import msgspec
from flask import current_app, request

from twindow.core.secrets import keyed_hash
from twindow.web.container import portal
from twindow.web.http.same_origin import own_hosts
from twindow.web.person.proxy_identity import proxy_subject

PROBE_HEADER = "X-Twindow-Check"
# The stream of a probe: an event at once, one that is delayed, and the end after another delay.
DELAYED_EVENT = "soon"
EVENT_DELAY_SECONDS = 0.5
END_DELAY_SECONDS = 3.0


class Observation(msgspec.Struct, frozen=True, kw_only=True):
    """A request as the portal sees it behind a proxy.

    `forwarded_for`, `forwarded`, `identity_header` and `groups_header` are the raw values of the
    headers with the address, again the address, the name and the groups of the person. `identity`
    is the name that the portal accepts. `time` is the clock of the portal, in seconds since 1970.
    """

    scheme: str
    hosts: list[str]
    peer: str
    is_peer_trusted: bool
    forwarded_for: str
    forwarded: str
    identity_header: str
    identity: str | None
    groups_header: str
    time: float


def probe_signature(secret_key: str, nonce: str) -> str:
    """Return the value of `PROBE_HEADER` for a random nonce."""
    return f"{nonce}.{keyed_hash(secret_key, 'check', nonce)}"


def is_signed_probe() -> bool:
    """Return whether the current request is from `twindow check`."""
    value = request.headers.get(PROBE_HEADER, "")
    nonce = value.partition(".")[0]
    return bool(nonce) and value == probe_signature(str(current_app.secret_key), nonce)


def observe_request() -> Observation:
    """Return what the portal sees of the current request."""
    settings, headers = portal().settings, request.headers
    return Observation(
        scheme=request.scheme,
        hosts=own_hosts(),
        peer=request.remote_addr or "",
        is_peer_trusted=settings.trusted_proxies.lists(request.remote_addr or ""),
        forwarded_for=headers.get("X-Forwarded-For", ""),
        forwarded=headers.get("Forwarded", ""),
        identity_header=headers.get(settings.proxy_user_header or "", ""),
        identity=proxy_subject(),
        groups_header=headers.get(settings.proxy_groups_header or "", ""),
        time=portal().clock.time(),
    )
