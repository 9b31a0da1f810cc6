"""A partner in the shape of a typical Express backend, with the standard library.

Ids are numbers, lists have `meta`, events have the lines `event:` and `id:`, errors have `success`
and `message`, JSON is compressed whatever the client accepts, and conversations survive a restart.
The event `complete` carries a receipt.
"""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.partners.partner import (
    FULL_KEY,
    LIMIT_SENTENCE,
    PAGE_SIZE,
    READ_KEY,
    SCOPE_SENTENCE,
    TWIN_COUNT,
    Partner,
    State,
)

TWINS = [{"id": n, "title": f"Twin {n}", "avatar": ""} for n in range(1, TWIN_COUNT + 1)]


class Refused(Exception):
    """Raised for an error response."""

    def __init__(self, status: int, message: str, **headers: str) -> None:
        super().__init__(message)
        self.status, self.message, self.headers = status, message, headers


class Handler(BaseHTTPRequestHandler):
    """Request handler."""

    protocol_version = "HTTP/1.1"
    state: State

    def do_GET(self) -> None:
        """Answer with JSON."""
        self._respond(self._get)

    def do_POST(self) -> None:
        """Create a conversation, or stream a reply."""
        self._respond(self._post)

    def do_DELETE(self) -> None:
        """Delete the conversation, without asking."""
        self._respond(lambda parts: self.state.conversations.pop(parts[3]))

    def log_message(self, *_args: object) -> None:
        """Log nothing."""

    def _respond(self, act: Any) -> None:
        path = urlsplit(self.path).path
        self.state.requests.append((self.command, path))
        self.body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            self._check_key()
            act(path.strip("/").split("/"))
        except Refused as refused:
            body = {"success": False, "message": refused.message}
            self._send_json(body, refused.status, **refused.headers)

    def _check_key(self) -> None:
        key = self.headers.get("Authorization", "").removeprefix("Bearer ")
        if key not in (FULL_KEY, READ_KEY):
            raise Refused(401, "jwt malformed")
        if self.command != "GET" and key != FULL_KEY:
            raise Refused(403, SCOPE_SENTENCE)

    def _get(self, parts: list[str]) -> None:
        if len(parts) == 4:
            found = [twin for twin in TWINS if str(twin["id"]) == parts[3]]
            if not found:
                raise Refused(404, "Twin not found")
            return self._send_json({"success": True, "data": found[0]})
        query = parse_qs(urlsplit(self.path).query)
        page = int(query.get("page", ["1"])[0])
        data = TWINS[(page - 1) * PAGE_SIZE : page * PAGE_SIZE]
        meta = {"page": page, "totalPages": 3, "total": TWIN_COUNT, "hasNext": page < 3}
        return self._send_json({"success": True, "data": data, "meta": meta})

    def _post(self, parts: list[str]) -> None:
        body = json.loads(self.body)
        if len(parts) == 3:
            conversation_id = len(self.state.conversations) + 1
            self.state.conversations[str(conversation_id)] = 0
            data = {"id": conversation_id, "twinId": int(body["twinId"])}
            return self._send_json({"success": True, "data": data}, 201)
        if parts[3] not in self.state.conversations:
            raise Refused(404, "Conversation not found")
        return self._stream(parts[3], str(body["content"]))

    def _stream(self, conversation_id: str, content: str) -> None:
        self.state.keys.append(self.headers.get("Idempotency-Key", ""))
        if content == "Limit":
            raise Refused(429, LIMIT_SENTENCE, retry_after="120")
        if len(content) > 2000:
            raise Refused(422, "content must be shorter than or equal to 2000 characters")
        pieces = self.state.reply_to(content)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Location", f"/api/v1/conversations/{conversation_id}")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        with suppress(OSError):
            self._send_event(1, "progress", {"progress": {"percentage": 10, "stage": "thinking"}})
            for number, piece in enumerate(pieces, 2):
                if not piece:
                    return
                self.state.pause_before(piece, content)
                self._send_event(number, "delta", {"type": "delta", "content": piece})
            receipt = {"id": 12, "status": "ok", "message": "Reply generated"}
            self._send_event(9, "complete", {"type": "complete", "message": receipt})

    def _send_event(self, number: int, name: str, data: dict[str, Any]) -> None:
        text = json.dumps({"type": name} | data)
        self.wfile.write(f"event: {name}\nid: {number}\ndata: {text}\n\n".encode())

    def _send_json(self, body: Any, status: int = 200, **headers: str) -> None:
        data = gzip.compress(json.dumps(body).encode())
        self.send_response(status)
        self.send_header("X-Powered-By", "Express")
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)


class Server(ThreadingHTTPServer):
    """Server whose port can be used again at once."""

    daemon_threads = True
    block_on_close = False


@contextmanager
def run_express() -> Iterator[Partner]:
    """Run the partner."""
    state = State()
    handler = type("OwnHandler", (Handler,), {"state": state})
    running: list[Server] = []

    def start(port: int) -> int:
        running.append(Server(("127.0.0.1", port), handler))
        threading.Thread(target=running[0].serve_forever, args=(0.01,), daemon=True).start()
        return running[0].server_port

    def stop() -> None:
        server = running.pop()
        state.go_on.set()
        server.shutdown()
        server.server_close()

    def restart() -> None:
        stop()
        start(port)

    port = start(0)
    yield Partner(f"http://127.0.0.1:{port}", state, restart)
    stop()
