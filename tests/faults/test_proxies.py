"""A proxy in front: replies pass through it as they come, idle ones too, and https stays https."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from tests.faults.conftest import MESSAGE
from tests.support import nginx
from tests.support.certificates import CertificateAuthority
from tests.support.person import Person, wait_for_reply
from tests.support.processes import run_server
from tests.support.upstream import UPSTREAM_KEY, Upstream
from web.container import Portal

pytestmark = pytest.mark.usefixtures("processes")
IDLE_SECONDS = 1
BEATS = 6


@pytest.fixture
def carol(url: str, tmp_path: Path, portal: Portal) -> Iterator[Person]:
    """Return Carol, who comes through a proxy that soon gives up whoever says nothing."""
    portal.log.keepalive_seconds = IDLE_SECONDS / 4
    with nginx.run_nginx(url, tmp_path / "nginx", f"proxy_read_timeout {IDLE_SECONDS}s;") as url:
        person = Person(url)
        yield person
        person.close()


@pytest.mark.fault("F81", "F82")
def test_proxy_passes_frames_at_once_and_keeps_quiet_streams_open(
    carol: Person, upstream: Upstream
):
    page = carol.start_conversation(MESSAGE)
    call = upstream.next_call().start_stream()
    with carol.follow(str(page.turns[0]["data-turn"])) as stream:
        # Together the beats take longer than the proxy waits.
        assert len(list(islice(stream.chunks(), BEATS))) == BEATS
        for piece in ("One", " two", " three"):
            call.delta(piece)
            stream.read_until(piece)
        call.complete()
        assert stream.remaining_events()[-1].name == "done"

    assert carol.get(page.path).reply_states == ["complete"]


@pytest.fixture
def dora(tmp_path: Path, upstream: Upstream) -> Iterator[Person]:
    """Return Dora, who comes by https, through a proxy, to a portal in a process of its own."""
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
def test_portal_works_behind_a_proxy_that_speaks_https(dora: Person, upstream: Upstream):
    form = dora.get("/twins/ada")
    headers = form.response.headers
    assert "; Secure;" in headers["Set-Cookie"]
    assert "Strict-Transport-Security" in headers

    dora.session.headers["Referer"] = form.response.url  # as a browser does
    page = dora.press(form, "Send", content=MESSAGE)

    assert page.status == 200, page.text
    assert page.response.url.startswith(dora.base_url)
    upstream.next_call().start_stream().complete("Through")
    assert wait_for_reply(dora, page).reply_states == ["complete"]
