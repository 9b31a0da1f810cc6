"""A proxy in front: streams pass at once, idle streams stay open, and HTTPS stays HTTPS."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from tests.faults.conftest import MESSAGE
from tests.support import nginx
from tests.support.certificates import CertificateAuthority
from tests.support.forged_identity import FORGERIES, request_raw
from tests.support.person import Person, complete_first_turn, wait_for_reply
from tests.support.processes import ServerProcess, run_server
from tests.support.upstream import UPSTREAM_KEY, Upstream
from web.container import Portal

pytestmark = pytest.mark.usefixtures("processes")
IDLE_SECONDS = 1
BEATS = 6


@pytest.fixture
def carol(url: str, tmp_path: Path, portal: Portal) -> Iterator[Person]:
    """Return Carol, who uses a proxy with a short read timeout (IDLE_SECONDS)."""
    portal.log.keepalive_seconds = IDLE_SECONDS / 4
    with nginx.run_nginx(url, tmp_path / "nginx", f"proxy_read_timeout {IDLE_SECONDS}s;") as url:
        person = Person(url)
        yield person
        person.close()


@pytest.mark.fault("F81", "F82")
def test_proxy_passes_events_at_once_and_keeps_idle_streams_open(carol: Person, upstream: Upstream):
    page = carol.start_conversation(MESSAGE)
    call = upstream.next_call().start_stream()
    with carol.follow(str(page.turns[0]["data-turn"])) as stream:
        # All heartbeats together take longer than the read timeout of the proxy.
        assert len(list(islice(stream.chunks(), BEATS))) == BEATS
        for piece in ("One", " two", " three"):
            call.delta(piece)
            stream.read_until(piece)
        call.complete()
        assert stream.remaining_events()[-1].name == "done"

    assert carol.get(page.path).reply_states == ["complete"]


@pytest.fixture
def dora(tmp_path: Path, upstream: Upstream) -> Iterator[Person]:
    """Return Dora, who uses HTTPS through a proxy to a portal in a separate process."""
    certificates = tmp_path / "certificates"
    certificates.mkdir()
    authority = CertificateAuthority(certificates)
    with (
        run_server(
            tmp_path / "data", "app.py", API_URL=upstream.url, API_KEY=UPSTREAM_KEY
        ) as server,
        nginx.run_nginx(
            server.url, tmp_path / "nginx", certificate=authority.make_signed("localhost")
        ) as url,
    ):
        person = Person(url)
        person.session.verify = str(authority.root.pem)
        yield person
        person.close()


@pytest.mark.fault("F82")
def test_portal_works_behind_an_https_proxy(dora: Person, upstream: Upstream):
    form = dora.get("/twins/ada")
    headers = form.response.headers
    assert "; Secure;" in headers["Set-Cookie"]
    assert "Strict-Transport-Security" in headers

    dora.session.headers["Referer"] = form.response.url  # browsers send this header
    page = dora.press(form, "Send", content=MESSAGE)

    assert page.status == 200, page.text
    assert page.response.url.startswith(dora.base_url)
    upstream.next_call().start_stream().complete("Through")
    assert wait_for_reply(dora, page).reply_states == ["complete"]


@pytest.fixture
def proxied_portal(tmp_path: Path, upstream: Upstream) -> Iterator[ServerProcess]:
    """Run a portal that trusts the identity header of a proxy on this machine."""
    settings = {
        "SIGN_IN": "proxy",
        "PROXY_USER_HEADER": "X-Remote-User",
        "PROXY_NETWORKS": "127.0.0.1",
    }
    with run_server(
        tmp_path / "data", "app.py", API_URL=upstream.url, API_KEY=UPSTREAM_KEY, **settings
    ) as server:
        yield server


def test_forged_identity_gives_no_access_through_nginx_or_directly(
    proxied_portal: ServerProcess, password_file: Path, tmp_path: Path, upstream: Upstream
):
    with nginx.run_nginx(
        proxied_portal.url, tmp_path / "nginx", in_location=nginx.documented_sign_in(password_file)
    ) as url:
        anna = Person(url)
        anna.session.auth = ("anna", "secret")
        path = complete_first_turn(anna, upstream, "Hello", "Hi").path
        anna.close()
        ben = ("Authorization", f"Basic {base64.b64encode(b'ben:secret').decode()}")
        through_nginx = {
            name: request_raw(url, path, [ben, *headers]) for name, headers in FORGERIES.items()
        }
    unlisted = ("X-Remote-User", "ben")
    direct = {
        name: request_raw(proxied_portal.url, path, [unlisted, *headers])
        for name, headers in FORGERIES.items()
    }
    without_name = request_raw(proxied_portal.url, path, [("X_Remote_User", "anna")])

    assert {
        name: status for name, status in through_nginx.items() if status not in (404, 400)
    } == {}
    assert {name: status for name, status in direct.items() if status == 200} == {}
    assert without_name == 303
