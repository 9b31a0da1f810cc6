"""A TLS server in front of another server, with a certificate that can be changed."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from select import select
from socketserver import BaseRequestHandler, ThreadingTCPServer

from tests.support.certificates import Certificate

HANDSHAKE = b"\x16"


class TlsFront(ThreadingTCPServer):
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
    server: TlsFront

    def handle(self) -> None:
        self.server.first.append(self.request.recv(1, socket.MSG_PEEK))
        if self.server.context is None:
            self.request.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
            return
        # One thread: a TLS connection must not be read and written at the same time.
        with (
            suppress(OSError, ValueError),
            self.server.context.wrap_socket(self.request, server_side=True) as secure,
            socket.create_connection(self.server.behind) as behind,
        ):
            while True:
                ready = [secure] if secure.pending() else select([secure, behind], [], [])[0]
                if secure in ready:
                    if not (asked := secure.recv(65536)):
                        return
                    self.server.received_data += asked
                    behind.sendall(asked)
                if behind in ready:
                    if not (answered := behind.recv(65536)):
                        return
                    secure.sendall(answered)


@contextmanager
def run_tls_front(behind: str, certificate: Certificate) -> Iterator[TlsFront]:
    """Run a TLS server in front of the server at the URL `behind`."""
    with TlsFront(behind) as front:
        front.use_certificate(certificate)
        threading.Thread(target=front.serve_forever, args=(0.02,), daemon=True).start()
        yield front
        front.shutdown()
