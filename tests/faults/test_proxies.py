"""A proxy in front: streams pass at once, idle streams stay open, and HTTPS stays HTTPS."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from tests.faults.conftest import MESSAGE
from tests.support import nginx, upstream_server
from tests.support.certificates import CertificateAuthority
from tests.support.forged_identity import FORGERIES, request_raw
from tests.support.person import Person, complete_first_turn, wait_for_reply
from tests.support.processes import run_portal
from tests.support.upstream import Upstream
from twindow.web.container import Portal

pytestmark = pytest.mark.usefixtures("processes")
IDLE_SECONDS = 1
BEATS = 6


@pytest.mark.fault("F81", "F82")
def test_proxy_passes_events_at_once_and_keeps_idle_streams_open(
    alice: Person, url: str, tmp_path: Path, portal: Portal, upstream: Upstream
):
    portal.log.keepalive_seconds = IDLE_SECONDS / 4
    page = alice.start_conversation(MESSAGE)
    call = upstream.next_call().start_stream()
    timeout = f"proxy_read_timeout {IDLE_SECONDS}s;"
    with nginx.run_nginx(url, tmp_path / "nginx", timeout) as alice.base_url:
        with alice.follow(str(page.turns[0]["data-turn"])) as stream:
            # All heartbeats together take longer than the read timeout of the proxy.
            assert len(list(islice(stream.chunks(), BEATS))) == BEATS
            for piece in ("One", " two", " three"):
                call.delta(piece)
                stream.read_until(piece)
            call.complete()
            assert stream.remaining_events()[-1].name == "done"

        assert stream.text == "One two three"


@pytest.fixture(scope="module")
def upstream() -> Iterator[Upstream]:
    """Run one scripted service for all tests of the module."""
    with upstream_server.run_upstream() as upstream:
        yield upstream


@pytest.fixture(scope="module")
def portal_url(
    processes: None, tmp_path_factory: pytest.TempPathFactory, upstream: Upstream
) -> Iterator[str]:
    """Run a portal that trusts the identity header of a proxy on this machine."""
    settings = {
        "SIGN_IN": "proxy",
        "PROXY_USER_HEADER": "X-Remote-User",
        "PROXY_NETWORKS": "127.0.0.1",
    }
    with run_portal(tmp_path_factory.mktemp("data"), upstream.url, **settings) as server:
        yield server.url


@pytest.fixture
def anna(portal_url: str, password_file: Path, tmp_path: Path) -> Iterator[Person]:
    """Return Anna, who signs in at a proxy with HTTPS."""
    authority = CertificateAuthority(tmp_path)
    with nginx.run_nginx(
        portal_url,
        tmp_path / "nginx",
        certificate=authority.make_signed("localhost"),
        in_location=nginx.documented_sign_in(password_file),
    ) as url:
        anna = Person(url)
        anna.session.verify = str(authority.root.pem)
        anna.session.auth = ("anna", "secret")
        yield anna
        anna.close()


@pytest.mark.fault("F82")
def test_portal_works_behind_an_https_proxy(anna: Person, upstream: Upstream):
    form = anna.get("/twins/ada")
    headers = form.response.headers
    assert "; Secure;" in headers["Set-Cookie"]
    assert "Strict-Transport-Security" in headers

    anna.session.headers["Referer"] = form.response.url  # browsers send this header
    page = anna.press(form, "Send", content=MESSAGE)

    assert page.status == 200, page.text
    assert page.response.url.startswith(anna.base_url)
    upstream.next_call().start_stream().complete("Through")
    assert wait_for_reply(anna, page).reply_states == ["complete"]


def test_forged_identity_gives_no_access_through_nginx_or_directly(
    anna: Person, portal_url: str, password_file: Path, tmp_path: Path, upstream: Upstream
):
    path = complete_first_turn(anna, upstream, "Hello", "Hi").path
    ben = ("Authorization", f"Basic {base64.b64encode(b'ben:secret').decode()}")
    sign_in = nginx.documented_sign_in(password_file)
    with nginx.run_nginx(portal_url, tmp_path / "http", in_location=sign_in) as url:
        through_nginx = {
            name: request_raw(url, path, [ben, *headers]) for name, headers in FORGERIES.items()
        }
    unlisted = ("X-Remote-User", "ben")
    direct = {
        name: request_raw(portal_url, path, [unlisted, *headers])
        for name, headers in FORGERIES.items()
    }

    # With 404, the requests count as Ben's.
    malformed = {"space before the colon": 400}
    assert through_nginx == dict.fromkeys(FORGERIES, 404) | malformed
    assert direct == dict.fromkeys(FORGERIES, 303) | malformed | {"underscores": 404, "mixed": 404}
    assert request_raw(portal_url, path, [("X_Remote_User", "anna")]) == 303
