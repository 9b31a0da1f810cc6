"""SIGTERM with many readers: the portal exits in time, readers can resume, nothing is lost."""

from __future__ import annotations

import asyncio
import re
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from subprocess import TimeoutExpired

from tests.support.processes import STOP_SECONDS, ServerProcess, free_port, run_portal
from tools.chaos.report import Expectations, Report, at_least, at_most, exactly, only
from tools.chaos.sent_messages import (
    SentMessage,
    begin_replies,
    create_people,
    distribute,
    open_stream,
    poll_until_ended,
    shares,
    summarize_stored,
)
from tools.scripted_service import make_message, run_scripted_service

READ_TIMEOUT_SECONDS = 30
DELTAS = 40
GAP_SECONDS = 0.5
# Fewer readers than this cannot overload the portal, so their retry delays are not checked.
MIN_READERS_FOR_SPREAD = 50

EXPECTATIONS: Expectations = {
    "begun": at_least(1.0),
    "exit_seconds": at_most(10),
    "exit_status": exactly(0),
    "output": exactly(""),
    "cut": at_most(0),
    "retry_spread_seconds": at_least(2),
    "states": only("complete", "interrupted"),
    "kept_min": at_least(0.99),
    "kept_overall": at_least(0.99),
}


def run(streams: int = 200, *, database_url: str = "") -> Report:
    """Stop a portal of two workers with this many readers of running replies, and restart it."""
    with ExitStack() as stack:
        data = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        service = stack.enter_context(run_scripted_service())
        port = free_port()
        people = stack.enter_context(create_people(port, streams))
        tags = [f"d{number}." for number in range(streams)]
        messages = distribute(people, [make_message(DELTAS, tag, gap=GAP_SECONDS) for tag in tags])
        settings = {"PORT": str(port), "WORKERS": "2", "DATABASE_URL": database_url}
        with run_portal(data, service.url, **settings) as portal:
            begin_replies(messages)
            coroutine = _stop_while_reading(portal, [each for each in messages if each.turn_id])
            # Use another thread: in tests, a browser may own the event loop of the current thread.
            with ThreadPoolExecutor(1) as pool:
                stream_texts, sigterm_at, stopped = pool.submit(asyncio.run, coroutine).result()
        output = portal.read_output()
        with run_portal(data, service.url, **settings):
            poll_until_ended(messages)
        endings = Counter(_classify_ending(text) for text in stream_texts)
        return {
            "begun": sum(bool(message.turn_id) for message in messages) / streams,
            **stopped,
            "output": output,
            **{ending: endings[ending] for ending in ("ended", "sent_away", "cut")},
            "retry_spread_seconds": _retry_spread(stream_texts),
            "states": dict(Counter(message.state for message in messages)),
            **summarize_stored(shares(messages, service.received_messages(), sigterm_at - 1)),
        }


async def _stop_while_reading(
    portal: ServerProcess, messages: Sequence[SentMessage]
) -> tuple[list[str], float, Report]:
    """Send SIGTERM when all streams have begun.

    Return the texts of the streams, the Unix time of the signal, and how the portal has exited.
    """
    streams_started = asyncio.Semaphore(0)
    tasks = [asyncio.create_task(_read_stream(message, streams_started)) for message in messages]
    for _ in messages:
        await asyncio.wait_for(streams_started.acquire(), READ_TIMEOUT_SECONDS)
    sigterm_at = time.time()
    portal.process.send_signal(signal.SIGTERM)
    with suppress(TimeoutExpired):
        await asyncio.to_thread(portal.process.wait, STOP_SECONDS)
    exit_seconds, status = round(time.time() - sigterm_at, 2), portal.process.poll()
    stopped = {"exit_seconds": exit_seconds, "exit_status": status}
    return await asyncio.gather(*tasks), sigterm_at, stopped


async def _read_stream(message: SentMessage, streams_started: asyncio.Semaphore) -> str:
    """Read the stream of a reply until it ends, however it ends."""
    reader, writer = await open_stream(message)
    text = ""
    with suppress(OSError, TimeoutError):  # the text received so far is returned
        async with asyncio.timeout(READ_TIMEOUT_SECONDS):
            while line := await reader.readline():
                if line.startswith(b"data:") and "\ndata:" not in text:
                    streams_started.release()
                text += line.decode()
    writer.close()
    return text


def _last_retry(text: str) -> str:
    """Return the last `retry` value after the first data, or "".

    The `retry` value at the beginning of each stream does not count.
    """
    retries = re.findall(r"^retry: (\d+)", text.partition("\ndata:")[2], re.MULTILINE)
    return retries[-1] if retries else ""


def _classify_ending(text: str) -> str:
    if "\nevent: done" in text:
        return "ended"
    return "sent_away" if _last_retry(text) else "cut"


def _retry_spread(stream_texts: Sequence[str]) -> float | None:
    retries = [int(text) for text in map(_last_retry, stream_texts) if text]
    if len(retries) < MIN_READERS_FOR_SPREAD:
        return None
    return round((max(retries) - min(retries)) / 1000, 2)
