"""Requests to other servers: own authorities, a real forward proxy, and reused connections."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import requests

from tests.support.certificates import CertificateAuthority
from tests.support.squid import Squid, run_squid
from tests.support.tls_front import TlsFront, run_tls_front
from tests.support.waiting import wait_until
from twindow.core.outbound import adapter as outbound_module
from twindow.core.outbound.adapter import OutboundAdapter, open_session
from twindow.core.outbound.outbound import DIRECT, Outbound, tls_context
from twindow.core.outbound.responses import describe_network_error
from twindow.paths import ROOT

HOST = "partner.test"  # only the proxy knows it


class _Greeting(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.server.peers.append(self.client_address)  # type: ignore[attr-defined]
        self.send_response(200)
        self.send_header("Content-Length", "5")
        self.end_headers()
        self.wfile.write(b"Hello")

    def log_message(self, *_args: object) -> None:
        pass


class GreetingServer(ThreadingHTTPServer):
    """Server that answers each GET; `peers` has the address of the client of each request."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Greeting)
        self.peers: list[tuple[str, int]] = []


@pytest.fixture
def server() -> Iterator[GreetingServer]:
    with GreetingServer() as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> CertificateAuthority:
    return CertificateAuthority(tmp_path_factory.mktemp("certificates"))


@pytest.fixture
def front(server: GreetingServer, authority: CertificateAuthority) -> Iterator[TlsFront]:
    url = f"http://127.0.0.1:{server.server_port}"
    with run_tls_front(url, authority.make_signed(HOST)) as front:
        yield front


@pytest.fixture(scope="module")
def squid(processes: None) -> Iterator[Squid]:
    with run_squid(HOST, f"www.{HOST}") as squid:
        yield squid


def get(url: str, outbound: Outbound) -> str:
    """Return the body of a response."""
    with open_session(OutboundAdapter(outbound)) as session:
        return session.get(url, timeout=5).text


def cause(url: str, outbound: Outbound) -> str:
    """Return the words about the error of a request."""
    with pytest.raises(requests.RequestException) as failure:
        get(url, outbound)
    return describe_network_error(failure.value)


def test_own_authorities_are_trusted_besides_the_public_ones(authority: CertificateAuthority):
    public = tls_context(None).get_ca_certs()

    assert len(tls_context(authority.root.pem).get_ca_certs()) == len(public) + 1


@pytest.mark.server
def test_requests_reach_servers_of_own_authorities_through_a_proxy_with_a_password(
    squid: Squid, front: TlsFront, server: GreetingServer, authority: CertificateAuthority
):
    outbound = Outbound(authority.root.pem, squid.url)
    port = front.server_address[1]

    assert get(f"https://{HOST}:{port}/", outbound) == "Hello"
    assert get(f"http://www.{HOST}:{server.server_port}/", outbound) == "Hello"

    # The proxy writes its log a moment after its response.
    sent = {f"CONNECT {HOST}:{port}", f"GET http://www.{HOST}:{server.server_port}/"}
    wait_until(lambda: sent <= set(squid.requests))


@pytest.mark.server
def test_a_failed_request_names_the_certificate_or_the_proxy_as_the_cause(
    squid: Squid, front: TlsFront, authority: CertificateAuthority
):
    url = f"https://{HOST}:{front.server_address[1]}/"
    no_password = squid.url.replace("portal:secret@", "")
    proxy = "the proxy in TWINDOW_OUTBOUND_PROXY: "

    assert cause(url, Outbound(None, squid.url)) == (
        "certificate verify failed: unable to get local issuer certificate"
    )
    assert cause(url, Outbound(None, no_password)) == (
        f"{proxy}Tunnel connection failed: 407 Proxy Authentication Required"
    )
    assert cause(url, Outbound(None, "http://127.0.0.1:1")) == f"{proxy}Connection refused"


ROUTES = [
    ("127.0.0.1:8000", "", True),
    ("[::1]:8000", "", True),
    ("localhost", "", True),
    ("model.localhost", "", True),
    ("example.org", "", False),
    ("example.org", "example.org", True),
    ("api.example.org:8443", "intranet, .example.org", True),
    ("api.Example.org", "*.EXAMPLE.org", True),
    ("notexample.org", "example.org", False),
    ("10.1.2.3", "10.0.0.0/8", True),
    ("11.1.2.3", "10.0.0.0/8", False),
    ("11.1.2.3", "11.1.2.3", True),
    ("example.org", "*", True),
]


def test_this_machine_and_listed_hosts_are_reached_without_the_proxy():
    for host, no_proxy, is_direct in ROUTES:
        outbound = Outbound(proxy="http://proxy.test:3128", no_proxy=no_proxy)

        assert (outbound.proxy_for(f"http://{host}/path") is None) == is_direct, host


def test_variables_of_the_environment_set_no_proxy(
    server: GreetingServer, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")

    assert get(f"http://127.0.0.1:{server.server_port}/", DIRECT) == "Hello"


@pytest.mark.parametrize(("idle_seconds", "connections"), [(60.0, 1), (-1.0, 2)])
def test_connections_that_were_idle_for_long_are_not_used_again(
    server: GreetingServer, monkeypatch: pytest.MonkeyPatch, idle_seconds: float, connections: int
):
    monkeypatch.setattr(outbound_module, "MAX_IDLE_SECONDS", idle_seconds)
    with open_session(OutboundAdapter(DIRECT)) as session:
        for _ in range(2):
            assert session.get(f"http://127.0.0.1:{server.server_port}/").text == "Hello"

    assert len(set(server.peers)) == connections


def test_only_this_module_opens_connections_to_other_servers():
    calls = (" requests.Session(", " requests.get(", " requests.post(", "urlopen(")
    found = {
        str(path.relative_to(ROOT))
        for folder in ("twindow", "blueprints")
        for path in (ROOT / folder).rglob("*.py")
        if any(call in path.read_text() for call in calls)
    }

    assert found == {"twindow/core/outbound/adapter.py"}
