"""Failed TLS: neither the API key nor the message is sent, and nothing is sent unencrypted."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import suppress
from socketserver import BaseRequestHandler, ThreadingTCPServer
from typing import Any

import pytest

from tests.faults.conftest import MESSAGE, NOT_SENT, SendMessage, assert_outcome, observe_reply
from tests.support.cases import failures
from tests.support.certificates import Certificate, CertificateAuthority
from tests.support.person import Person
from tests.support.upstream import UPSTREAM_KEY, Upstream

NOT_SECURE = "We can't connect securely to the twin service. Please contact your administrator."
HANDSHAKE = b"\x16"


class Front(ThreadingTCPServer):
    """TLS terminator in front of the scripted service, with a certificate that can be changed.

    `first` contains the first byte of each connection. `received_data` contains the decrypted data
    of all connections.
    """

    daemon_threads = True
    block_on_close = False

    def __init__(self, behind: str) -> None:
        super().__init__(("127.0.0.1", 0), _Relay)
        self.behind = ("127.0.0.1", int(behind.rpartition(":")[2]))
        self.url = f"https://localhost:{self.server_address[1]}"
        self.context: ssl.SSLContext | None = None
        self.first: list[bytes] = []
        self.received_data = b""

    def use_certificate(self, certificate: Certificate | None) -> None:
        """Present this certificate from now on; with None, do not speak TLS at all."""
        self.context = None
        if certificate:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(certificate.pem, certificate.key)
        self.first.clear()
        self.received_data = b""


class _Relay(BaseRequestHandler):
    server: Front

    def handle(self) -> None:
        self.server.first.append(self.request.recv(1, socket.MSG_PEEK))
        if self.server.context is None:
            self.request.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
            return
        with (
            suppress(OSError),
            self.server.context.wrap_socket(self.request, server_side=True) as secure,
            socket.create_connection(self.server.behind) as behind,
        ):
            threading.Thread(target=self._ask, args=(secure, behind), daemon=True).start()
            while answered := behind.recv(65536):
                secure.sendall(answered)
            # `shutdown` also wakes the thread that reads from the socket.
            secure.shutdown(socket.SHUT_RDWR)

    def _ask(self, secure: ssl.SSLSocket, behind: socket.socket) -> None:
        with suppress(OSError, ValueError):
            while asked := secure.recv(65536):
                self.server.received_data += asked
                behind.sendall(asked)


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> CertificateAuthority:
    return CertificateAuthority(tmp_path_factory.mktemp("certificates"))


@pytest.fixture
def front(authority: CertificateAuthority, upstream: Upstream) -> Iterator[Front]:
    """Serve with a valid certificate; the portal trusts the authority that signed it."""
    with Front(upstream.url) as front:
        front.use_certificate(authority.make_signed("localhost"))
        threading.Thread(target=front.serve_forever, args=(0.02,), daemon=True).start()
        yield front
        front.shutdown()


@pytest.fixture
def settings(
    settings: dict[str, Any], front: Front, authority: CertificateAuthority
) -> dict[str, Any]:
    return settings | {"api_url": front.url, "api_ca_file": authority.root.pem}


def test_valid_certificate_is_trusted(send_message: SendMessage, front: Front):
    assert_outcome(
        send_message(lambda call: call.start_stream().complete("Safe")), "complete", reply="Safe"
    )

    assert UPSTREAM_KEY.encode() in front.received_data
    assert set(front.first) == {HANDSHAKE}


@pytest.mark.fault("F42")
def test_insecure_connection_is_not_used_until_it_is_secure_again(
    alice: Person, upstream: Upstream, front: Front, authority: CertificateAuthority
):
    failed = alice.get("/twins/ada")
    asked = len(upstream.calls)

    def check(certificate: Certificate | None) -> None:
        nonlocal failed
        front.use_certificate(certificate)
        seen = observe_reply(alice, upstream, alice.start_conversation(MESSAGE))
        assert_outcome(seen, "failed", NOT_SECURE, NOT_SENT, sent_messages=[])
        assert "may have received" not in seen.note
        assert set(front.first) == {HANDSHAKE}
        assert front.received_data == b""
        assert len(upstream.calls) == asked
        failed = seen.page

    cases = {
        "self-signed": authority.make_self_signed("localhost"),
        "expired": authority.make_signed("localhost", days=-1),
        "of another host": authority.make_signed("other.example"),
        "no TLS": None,
    }
    assert failures(check, cases) == {}

    front.use_certificate(authority.make_signed("localhost"))
    again = alice.press(failed, "Retry")
    seen = observe_reply(alice, upstream, again, lambda call: call.start_stream().complete("Safe"))
    assert_outcome(seen, "complete", reply="Safe")
