"""One reply under attack: the stall of other visitors, and the resources that leak.

The response times of others are compared with those of the same portal before the attack, so that
the speed of the machine does not matter.
"""

from __future__ import annotations

import asyncio
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import requests

from rendering.render_process import LONG_TEXT_LENGTH
from tests.support.person import Person
from tests.support.processes import run_portal
from tests.support.waiting import poll_until
from tools.chaos.attacks import MODES
from tools.chaos.report import Expectations, Report, at_least, at_most, below, exactly, only
from tools.chaos.sent_messages import SentMessage, open_stream
from tools.probes import count_open_files, measure_latency, proc_status, select_rows
from tools.scripted_service import ScriptedService, make_message, run_scripted_service

PAGE_INTERVAL_SECONDS = 0.02
CALM_SECONDS = 3.0
MIN_SECONDS = 5.0
MAX_SECONDS = 25.0
SETTLE_SECONDS = 3.0
TIMEOUT_SETTINGS = {"API_TIMEOUT": "4", "API_REPLY_TIMEOUT": "8"}
TAB_COUNT = 24
HEAD_INTERVAL_SECONDS = 0.1
# 95 headers of 8 KB: as large as gunicorn itself would accept.
LARGE_HEADERS = (
    *[b"Accept-Language: " + b"en-a;q=0.1, " * 666] * 32,
    *[b"X-Forwarded-For: " + b"127.0.0.1, " * 727] * 32,
    *[b"Cookie: " + b"a; " * 2_666] * 31,
)
LARGE_HEAD = b"\r\n".join((b"GET / HTTP/1.1", b"Host: localhost", *LARGE_HEADERS, b"", b""))

EXPECTATIONS: Expectations = {
    "refused": at_most(0),
    "looks": at_least(100),
    "p99/calm": below(10),
    "growth_mb": below(30),
    "state": only("complete", "failed", "interrupted"),
    "upstream_closed": exactly(True),  # noqa: FBT003
    "files_left": at_most(0),
}


def run(modes: Sequence[str] = tuple(MODES)) -> dict[str, Report]:
    """Run each attack against a new portal."""
    with run_scripted_service() as service:
        return {mode: _run_attack(service, mode) for mode in modes}


def _run_attack(service: ScriptedService, mode: str) -> Report:
    with ExitStack() as stack:
        data = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        portal = stack.enter_context(run_portal(data, service.url, **TIMEOUT_SETTINGS))
        victim, observer = (stack.enter_context(closing(Person(portal.url))) for _ in range(2))
        [worker] = portal.worker_pids
        paths = _warm_up(data, observer)
        _warm_up(data, victim, LONG_TEXT_LENGTH // 10)  # starts the process for long texts
        victim.close()
        time.sleep(0.5)  # let the clean-up after a reply finish
        urls = [portal.url + path for path in paths]
        calm_until = time.monotonic() + CALM_SECONDS
        calm = measure_latency(
            observer.session, urls, lambda: time.monotonic() > calm_until, PAGE_INTERVAL_SECONDS
        )
        files_before, rss_before = count_open_files(worker), proc_status(worker, "VmRSS")
        Path(f"/proc/{worker}/clear_refs").write_text("5")  # reset the peak memory (VmHWM)
        message = SentMessage(victim, make_message(1, f"{portal.port}.", mode=mode))
        tab_count = TAB_COUNT if mode == "formulas" else 1
        attack = threading.Thread(target=_receive_reply, args=(message, data, tab_count))
        started_at = time.monotonic()
        attack.start()
        if mode == "large_heads":
            heads = threading.Thread(target=_send_large_heads, args=(portal.port, attack.is_alive))
            heads.start()
            stack.callback(heads.join)

        def is_over() -> bool:
            seconds = time.monotonic() - started_at
            return seconds > MAX_SECONDS or (seconds > MIN_SECONDS and not attack.is_alive())

        latency = measure_latency(observer.session, urls, is_over, PAGE_INTERVAL_SECONDS)
        attack.join()
        rss_peak = proc_status(worker, "VmHWM")
        message.refresh()
        victim.close()
        poll_until(lambda: count_open_files(worker) <= files_before, SETTLE_SECONDS)
        return {
            "looks": len(latency.milliseconds),
            "refused": latency.failed_count,
            "p50_ms": round(latency.percentile(50), 1),
            "p99_ms": round(latency.percentile(99), 1),
            "p99/calm": round(latency.percentile(99) / calm.percentile(99), 1),
            "max_ms": round(max(latency.milliseconds), 1),
            "growth_mb": round((rss_peak - rss_before) / 1024, 1),
            "growth_kept_mb": round((proc_status(worker, "VmRSS") - rss_before) / 1024, 1),
            "state": [message.state],
            "characters": len(message.text),
            "sentence": message.sentence,
            "upstream_closed": poll_until(
                lambda: _is_upstream_closed(service, message), SETTLE_SECONDS
            ),
            "files_left": max(0, count_open_files(worker) - files_before),
            "output": "".join(portal.output[-1:]).strip(),
        }


def _warm_up(data: Path, person: Person, deltas: int = 50) -> list[str]:
    """Receive a reply and open the measured pages so that lazy loading does not count as growth."""
    message = SentMessage(person, make_message(deltas, f"{id(person)}.", gap=0.001))
    _receive_reply(message, data)
    paths = ["/readyz", "/conversations", message.path]
    for _ in range(20):
        for path in paths:
            person.get(path)
    return paths


def _receive_reply(message: SentMessage, data: Path, tab_count: int = 1) -> None:
    """Start a conversation, follow its reply in some tabs, and load its page at the end.

    Nothing is parsed here: that would slow down the latency measurement in the other thread.
    """
    message.submit()
    query = "SELECT id FROM turns ORDER BY created_at DESC LIMIT 1"
    [[message.turn_id]] = select_rows(data, query)

    async def follow() -> None:
        reader, writer = await open_stream(message, "Accept-Encoding: gzip")
        with suppress(OSError):
            while await reader.read(65536):
                pass
        writer.close()

    async def follow_in_tabs() -> None:
        await asyncio.gather(*(follow() for _ in range(tab_count)))

    asyncio.run(follow_in_tabs())
    with suppress(requests.RequestException):
        message.person.get(message.path)


def _send_large_heads(port: int, is_attacked: Callable[[], bool]) -> None:
    """Send ten requests with large heads per second."""
    while is_attacked():
        with suppress(OSError), socket.create_connection(("127.0.0.1", port)) as client:
            client.sendall(LARGE_HEAD)
            client.recv(65536)
        time.sleep(HEAD_INTERVAL_SECONDS)


def _is_upstream_closed(service: ScriptedService, message: SentMessage) -> bool:
    return all(record.is_over for record in service.received_messages(message.content).values())
