"""One reply under attack: what does everybody else feel, and what stays behind?"""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

import requests

from tests.support.person import Person
from tests.support.processes import free_port
from tools.chaos.attacks import MODES
from tools.chaos.measures import open_files, rows, status
from tools.chaos.observer import AT_MOST_SECONDS, watch
from tools.chaos.people import Said
from tools.chaos.processes import Portal, Service, scripted_service, serving
from tools.chaos.report import Promises, Report, at_least, at_most, below, exactly, only

SETTLE_SECONDS = 3.0
BOUNDS = {"API_ANSWER_TIMEOUT": "4", "API_IDLE_TIMEOUT": "4", "API_REPLY_TIMEOUT": "8"}

PROMISES: Promises = {
    "refused": at_most(0),
    "looks": at_least(100),
    "p99_ms": below(100),
    "growth_mb": below(30),
    "state": only("complete", "failed", "interrupted"),
    "upstream_closed": exactly(True),  # noqa: FBT003
    "files_left": at_most(0),
}


def hostile(modes: Sequence[str] = tuple(MODES)) -> dict[str, Report]:
    """Attack a fresh portal in each of the modes."""
    with scripted_service() as service:
        return {mode: _attacked(service, mode) for mode in modes}


def _attacked(service: Service, mode: str) -> Report:
    with ExitStack() as stack:
        data = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        portal = stack.enter_context(serving(data, free_port(), service, **BOUNDS))
        victim, other = Person(portal.url), Person(portal.url)
        stack.callback(victim.close)
        stack.callback(other.close)
        [worker] = portal.workers
        places = _warm(data, other)
        _warm(data, victim)
        victim.session.close()
        time.sleep(0.5)  # for what the end of a reply leaves behind
        files, before = open_files(worker), status(worker, "VmRSS")
        Path(f"/proc/{worker}/clear_refs").write_text("5")  # the peak begins anew
        said = Said(victim, f"mode={mode} tag={portal.port}.")
        suffering = threading.Thread(target=_suffer, args=(said, data))
        suffering.start()
        watched = watch(other, places, suffering)
        suffering.join()
        peak = status(worker, "VmHWM")
        said.look()
        victim.session.close()
        files_left = _files_left(worker, files)
        return {
            **watched,
            "growth_mb": round((peak - before) / 1024, 1),
            "growth_kept_mb": round((status(worker, "VmRSS") - before) / 1024, 1),
            "state": [said.state],
            "characters": len(said.text),
            "sentence": said.sentence,
            "upstream_closed": _closed(service, said),
            "files_left": files_left,
            "output": _last_words(portal),
        }


def _warm(data: Path, person: Person) -> list[str]:
    """Have a good reply, and see every kind of page: what is loaded once is no growth."""
    said = Said(person, f"n=50 gap=0.01 tag={id(person)}.")
    _suffer(said, data)
    places = ["/healthz", "/conversations", said.path]
    for _ in range(20):
        for place in places:
            person.session.get(person.base_url + place, timeout=10)
    return places


def _suffer(said: Said, data: Path) -> None:
    """Begin a conversation, follow its reply as a browser does, and load its page in the end.

    Nothing is parsed here: that would hold up the one who looks meanwhile.
    """
    said.press()
    [[turn]] = rows(data, "SELECT id FROM turns ORDER BY created_at DESC LIMIT 1")
    with suppress(requests.RequestException):
        with said.person.follow(turn) as stream:
            for _ in stream.response.iter_content(65536):
                pass
        said.person.session.get(said.person.base_url + said.path, timeout=AT_MOST_SECONDS)


def _files_left(worker: int, before: int) -> int:
    give_up = time.monotonic() + SETTLE_SECONDS
    while open_files(worker) > before and time.monotonic() < give_up:
        time.sleep(0.1)
    return max(0, open_files(worker) - before)


def _closed(service: Service, said: Said) -> bool:
    return all(seen["over"] is not None for seen in service.seen(said.content).values())


def _last_words(portal: Portal) -> str:
    return portal.output[-1].strip() if portal.output else ""
