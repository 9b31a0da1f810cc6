"""A scripted service that keeps time exactly, in a process of its own.

What a message says is the order for its reply: `deltas=2000 rate=200 text=mixed tag=7`. A rate of 0
is as fast as can be. Any other message gets the sample.
"""

from __future__ import annotations

import sys
import threading
import time
from http.server import ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qsl

from tests.support.upstream import Call
from tools.bench import words
from tools.chaos import service

TWIN = service.TWIN | {
    "greeting": "Hello, I am Ada.",
    "starters": ["How does a bicycle stay upright?", "Why is the sky blue?"],
}
SAMPLE = (Path(__file__).parent / "sample.txt").read_text()
PAST_DELTAS = 20
SAMPLE_ORDER = {"rate": "500"}


class Handler(service.Handler):
    """Answer at once, by what the message says."""

    disable_nagle_algorithm = True
    # When the last piece of a reply left, by its tag.
    over: dict[str, float]

    def _respond(self, call: Call) -> None:
        path, _, query = call.path.partition("?")
        match call.method, path.removeprefix("/api/v1").split("/")[1:]:
            case "GET", ["over", tag]:
                call.respond(200, {"at": self.over.get(tag)})
            case "GET", ["history"]:
                call.respond(200, history(int(dict(parse_qsl(query))["turns"])))
            case "GET", ["twins"]:
                call.respond(200, {"data": [TWIN]})
            case "POST", ["conversations", _, "messages", "stream"]:
                self._reply(call, service.order(call.body["content"]))
            case _:
                super()._respond(call)

    def _reply(self, call: Call, order: dict[str, str]) -> None:
        pieces = _pieces(order)
        rate = float((order or SAMPLE_ORDER)["rate"])
        call.start_stream()
        begun = time.monotonic()
        for number, piece in enumerate(pieces):
            if rate:
                time.sleep(max(0.0, begun + number / rate - time.monotonic()))
            call.delta(piece)
        self.over[order.get("tag", "")] = time.time()
        call.complete()


def history(turns: int) -> list[dict[str, str]]:
    """Return a conversation of so many turns."""
    return [
        {"said": past_order(n), "reply": words.reply("mixed", PAST_DELTAS, f"t{n}").text}
        for n in range(1, turns + 1)
    ]


def past_order(turn: int) -> str:
    """Return what is said in a turn of a conversation that is there already."""
    return said(PAST_DELTAS, tag=f"t{turn}", rate=0)


def past_end(turn: int) -> str:
    """Return how the reply to it ends."""
    return words.reply("mixed", PAST_DELTAS, f"t{turn}").end


def said(deltas: int, *, tag: str, rate: float, text: str = "mixed") -> str:
    """Return the message that orders a reply."""
    return f"Tell me about it. deltas={deltas} rate={rate} text={text} tag={tag}"


def _pieces(order: dict[str, str]) -> list[str]:
    if "deltas" not in order:
        return words.Reply(SAMPLE, "", 0).pieces
    return words.reply(order["text"], int(order["deltas"]), order["tag"]).pieces


def main() -> None:
    """Serve until standard input ends, so that it cannot outlive whoever started it."""
    Handler.over = {}
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    print(server.server_address[1], flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
