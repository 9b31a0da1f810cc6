"""Requests that falsely claim to be from Anna."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

# Headers with which a request claims to be from Anna, by kind of forgery.
FORGERIES: dict[str, list[tuple[str, str]]] = {
    "header": [("X-Remote-User", "anna")],
    "header in other case": [("x-remote-USER", "anna")],
    "underscores": [("X_Remote_User", "anna")],
    "mixed": [("X-Remote_User", "anna")],
    "twice": [("X-Remote-User", "anna"), ("X-Remote-User", "anna")],
    "hop-by-hop": [("Connection", "close, X-Remote-User"), ("X-Remote-User", "anna")],
    "space before the colon": [("X-Remote-User ", "anna")],
    "list": [("X-Remote-User", "anna, ben")],
}


def request_raw(url: str, path: str, headers: list[tuple[str, str]]) -> int:
    """Send a request with exactly these headers, and return the status; 0 if it is not answered."""
    address = urlsplit(url)
    lines = [f"GET {path} HTTP/1.1", f"Host: {address.netloc}"]
    lines += [f"{name}: {value}" for name, value in headers]
    if not any(name == "Connection" for name, _ in headers):
        lines.append("Connection: close")
    with socket.create_connection((str(address.hostname), int(address.port or 80)), 10) as client:
        client.sendall("\r\n".join([*lines, "", ""]).encode())
        status_line = client.makefile("rb").readline().split()
    return int(status_line[1]) if len(status_line) > 1 else 0
