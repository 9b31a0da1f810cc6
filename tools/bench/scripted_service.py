"""A scripted service with exact timing, in a separate process.

A message contains the instructions for its reply: `deltas=2000 rate=200 text=mixed tag=7`, or
`construct=table_rows rate=200` for a long reply. A rate of 0 sends as fast as possible.
"""

from __future__ import annotations

import sys
import threading
import time
from http.server import ThreadingHTTPServer

from tests.support.upstream import Call
from tools.bench import sample_markdown
from tools.bench.long_texts import make_long_deltas
from tools.chaos import scripted_service

TWIN = scripted_service.TWIN | {
    "greeting": "Hello, I am Ada.",
    "starters": ["How does a bicycle stay upright?", "Why is the sky blue?"],
}
HISTORY_DELTAS = 20


class Handler(scripted_service.Handler):
    """Request handler that answers at once, as the message instructs."""

    disable_nagle_algorithm = True
    # Maps the tag of a reply to the time at which its last delta was sent.
    ended_at: dict[str, float]

    def _respond(self, call: Call) -> None:
        match call.method, call.path.removeprefix("/api/v1").split("/")[1:]:
            case "GET", ["over", tag]:
                call.respond(200, {"at": self.ended_at.get(tag)})
            case "GET", ["twins"]:
                call.respond(200, {"data": [TWIN]})
            case "POST", ["conversations", _, "messages", "stream"]:
                self._send_reply(call, scripted_service.parse_instructions(call.body["content"]))
            case _:
                super()._respond(call)

    def _send_reply(self, call: Call, instructions: dict[str, str]) -> None:
        deltas = _make_deltas(instructions)
        rate = float(instructions.get("rate", "0"))
        call.start_stream()
        started_at = time.monotonic()
        for number, delta in enumerate(deltas):
            if rate:
                time.sleep(max(0.0, started_at + number / rate - time.monotonic()))
            call.delta(delta)
        self.ended_at[instructions.get("tag", "")] = time.time()
        call.complete()


def history_message(turn: int) -> str:
    """Return the message of a turn of the existing conversation."""
    return make_message(HISTORY_DELTAS, tag=f"t{turn}", rate=0)


def history_reply_end(turn: int) -> str:
    """Return the last sentence of the reply in a turn of the existing conversation."""
    return sample_markdown.make_reply("mixed", HISTORY_DELTAS, f"t{turn}").end


def make_message(deltas: int, *, tag: str, rate: float, text: str = "mixed") -> str:
    """Return the message that requests a reply."""
    return f"Tell me about it. deltas={deltas} rate={rate} text={text} tag={tag}"


def _make_deltas(instructions: dict[str, str]) -> list[str]:
    if construct := instructions.get("construct"):
        return make_long_deltas(construct.replace("_", " "))
    if "deltas" not in instructions:
        return ["Hello"]
    return sample_markdown.make_reply(
        instructions["text"], int(instructions["deltas"]), instructions["tag"]
    ).deltas


def main() -> None:
    """Serve until standard input ends, so that the process cannot outlive its parent."""
    Handler.ended_at = {}
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    print(server.server_address[1], flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
