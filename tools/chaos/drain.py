"""SIGTERM while many read: does it end in time, does everybody hear how to go on, is all kept?"""

from __future__ import annotations

import asyncio
import re
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from math import ceil
from pathlib import Path
from typing import NamedTuple

from tests.support.person import Person
from tests.support.processes import free_port
from tools.chaos.people import PEOPLE, Said, each, kept_share, look_until_ended, shares, somebodies
from tools.chaos.processes import Portal, scripted_service, serving
from tools.chaos.report import Promises, Report, at_least, at_most, exactly, only
from web import stream_limit

READ_SECONDS = 30
# So few readers come back without a crowd.
CROWD = 50

PROMISES: Promises = {
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


class Drained(NamedTuple):
    """What a SIGTERM came to."""

    readers: list[str]
    termed_at: float
    seconds: float
    status: int | None


def drain(streams: int = 200, *, words: int = 40, gap: float = 0.5, workers: int = 2) -> Report:
    """End a portal with so many readers of running replies, and start it again."""
    with ExitStack() as stack:
        data = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        service = stack.enter_context(scripted_service())
        port = free_port()
        # Whoever follows more replies than one may is sent away before the end, whatever happens.
        people = stack.enter_context(
            somebodies(port, max(PEOPLE, ceil(streams / stream_limit.MAX_STREAMS_PER_PERSON)))
        )
        said = [
            Said(people[n % len(people)], f"n={words} gap={gap} tag=d{n}.") for n in range(streams)
        ]
        with serving(data, port, service, WORKERS=str(workers)) as portal:
            each(people, lambda person: _begin(person, said))
            draining = _drain(portal, [one for one in said if one.turn])
            # A thread of its own: in tests, a browser may own the loop of this one.
            with ThreadPoolExecutor(1) as pool:
                drained = pool.submit(asyncio.run, draining).result()
            output = "".join(portal.output)
        with serving(data, port, service, WORKERS=str(workers)):
            look_until_ended([one for one in said if one.acknowledged])
        heard = Counter(_heard(text) for text in drained.readers)
        return {
            "begun": sum(bool(one.turn) for one in said) / streams,
            "exit_seconds": round(drained.seconds, 2),
            "exit_status": drained.status,
            "output": output,
            **{how: heard[how] for how in ("ended", "sent_away", "cut")},
            **_spread([float(text) for text in map(_new_retry, drained.readers) if text]),
            "states": dict(Counter(one.state for one in said)),
            **kept_share(shares(said, service.seen(), drained.termed_at - 1)),
        }


def _begin(person: Person, said: Sequence[Said]) -> None:
    for one in said:
        if one.person is person:
            one.press()
            if one.acknowledged:
                one.look()


async def _drain(portal: Portal, said: Sequence[Said]) -> Drained:
    begun = asyncio.Semaphore(0)
    reading = [asyncio.create_task(_read(portal.port, one, begun)) for one in said]
    for _ in said:
        await asyncio.wait_for(begun.acquire(), READ_SECONDS)
    termed_at = time.monotonic()
    status = await asyncio.to_thread(portal.end, signal.SIGTERM)
    seconds = time.monotonic() - termed_at
    return Drained(await asyncio.gather(*reading), termed_at, seconds, status)


async def _read(port: int, one: Said, begun: asyncio.Semaphore) -> str:
    """Read the stream of a reply until it ends, however it ends."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**20)
    cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in one.person.session.cookies)
    writer.write(
        f"GET /turns/{one.turn}/events?after=0 HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\n"
        f"Accept: text/event-stream\r\nCookie: {cookies}\r\n\r\n".encode()
    )
    text = ""
    try:
        async with asyncio.timeout(READ_SECONDS):
            while line := await reader.readline():
                if line.startswith(b"data:") and "\ndata:" not in text:
                    begun.release()
                text += line.decode()
    except (OSError, TimeoutError):
        pass  # what was heard until then counts
    finally:
        writer.close()
    return text


def _new_retry(text: str) -> str:
    """Return the word on when to come back, which is not the one that a stream begins with."""
    found = re.findall(r"^retry: (\d+)", text.partition("\ndata:")[2], re.MULTILINE)
    return found[-1] if found else ""


def _heard(text: str) -> str:
    if "\nevent: done" in text:
        return "ended"
    return "sent_away" if _new_retry(text) else "cut"


def _spread(milliseconds: Sequence[float]) -> Report:
    few = len(milliseconds) < CROWD
    spread = None if few else round((max(milliseconds) - min(milliseconds)) / 1000, 2)
    return {"retry_spread_seconds": spread}
