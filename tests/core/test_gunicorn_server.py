"""The gunicorn server: requests that are not HTTP."""

from __future__ import annotations

import signal
import socket
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.support.processes import run_server

pytestmark = pytest.mark.usefixtures("processes")

HEAD = (
    b"POST /preferences HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\n\r\n"
)
MALFORMED = [b"zz\r\nabc\r\n", b"-1\r\nabc\r\n0\r\n\r\n", b"5\r\nhelloXX0\r\n\r\n"]


def test_malformed_chunks_get_status_400_and_one_log_line(tmp_path: Path):
    with run_server(tmp_path, "app.py", API_URL="http://127.0.0.1:9", API_KEY="key") as server:
        statuses = []
        for body in MALFORMED:
            with socket.create_connection(("127.0.0.1", urlsplit(server.url).port), 10) as client:
                client.sendall(HEAD + body)
                statuses.append(client.makefile("rb").read().split()[1])
        server.stop(signal.SIGINT)
        log = server.read_output().splitlines()

    assert statuses == [b"400"] * len(MALFORMED)
    assert len([line for line in log if "Malformed request body" in line]) == len(log) == 3
