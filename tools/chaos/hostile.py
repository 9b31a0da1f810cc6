"""One reply under attack: the stall of other visitors, and the resources that leak."""

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
from tools.chaos.attacking_clients import TAB_COUNT, extra_tabs, send_large_heads
from tools.chaos.attacks import MODES
from tools.chaos.latency import MAX_SECONDS, measure_latency
from tools.chaos.probes import count_open_files, proc_status, select_rows
from tools.chaos.processes import Portal, ScriptedService, run_portal, run_scripted_service
from tools.chaos.report import Expectations, Report, at_least, at_most, below, exactly, only
from tools.chaos.sent_messages import SentMessage

SETTLE_TIMEOUT_SECONDS = 3.0
TIMEOUT_SETTINGS = {"API_TIMEOUT": "4", "API_REPLY_TIMEOUT": "8"}

EXPECTATIONS: Expectations = {
    "refused": at_most(0),
    "looks": at_least(100),
    "p99_ms": below(100),
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
        portal = stack.enter_context(run_portal(data, free_port(), service, **TIMEOUT_SETTINGS))
        victim, observer = Person(portal.url), Person(portal.url)
        stack.callback(victim.close)
        stack.callback(observer.close)
        [worker] = portal.worker_pids
        paths = _warm_up(data, observer)
        _warm_up(data, victim)
        victim.session.close()
        time.sleep(0.5)  # let the clean-up after a reply finish
        files_before, rss_before = count_open_files(worker), proc_status(worker, "VmRSS")
        Path(f"/proc/{worker}/clear_refs").write_text("5")  # reset the peak memory (VmHWM)
        message = SentMessage(victim, f"mode={mode} tag={portal.port}.")
        tab_count = TAB_COUNT - 1 if mode == "formulas" else 0
        attack = threading.Thread(target=_receive_reply, args=(message, data, tab_count))
        attack.start()
        if mode == "large_heads":
            heads = threading.Thread(
                target=send_large_heads, args=(portal.url, lambda: not attack.is_alive())
            )
            heads.start()
            stack.callback(heads.join)
        latency_report = measure_latency(observer, paths, attack)
        attack.join()
        rss_peak = proc_status(worker, "VmHWM")
        message.refresh()
        victim.session.close()
        leaked_files = _count_leaked_files(worker, files_before)
        return {
            **latency_report,
            "growth_mb": round((rss_peak - rss_before) / 1024, 1),
            "growth_kept_mb": round((proc_status(worker, "VmRSS") - rss_before) / 1024, 1),
            "state": [message.state],
            "characters": len(message.text),
            "sentence": message.sentence,
            "upstream_closed": _is_upstream_closed(service, message),
            "files_left": leaked_files,
            "output": _last_output_line(portal),
        }


def _warm_up(data: Path, person: Person) -> list[str]:
    """Receive a reply and open the measured pages so that lazy loading does not count as growth."""
    message = SentMessage(person, f"n=50 gap=0.01 tag={id(person)}.")
    _receive_reply(message, data)
    paths = ["/readyz", "/conversations", message.path]
    for _ in range(20):
        for path in paths:
            person.session.get(person.base_url + path, timeout=10)
    return paths


def _receive_reply(message: SentMessage, data: Path, extra_tab_count: int = 0) -> None:
    """Start a conversation, follow its reply as browsers do, and load its page at the end.

    Nothing is parsed here: that would slow down the latency measurement in the other thread.
    """
    message.submit()
    [[turn_id]] = select_rows(data, "SELECT id FROM turns ORDER BY created_at DESC LIMIT 1")
    with suppress(requests.RequestException):
        with (
            extra_tabs(message.person, turn_id, extra_tab_count),
            message.person.follow(turn_id) as stream,
        ):
            for _ in stream.response.iter_content(65536):
                pass
        message.person.session.get(message.person.base_url + message.path, timeout=MAX_SECONDS)


def _count_leaked_files(worker: int, before: int) -> int:
    deadline = time.monotonic() + SETTLE_TIMEOUT_SECONDS
    while count_open_files(worker) > before and time.monotonic() < deadline:
        time.sleep(0.1)
    return max(0, count_open_files(worker) - before)


def _is_upstream_closed(service: ScriptedService, message: SentMessage) -> bool:
    return all(
        received["over"] is not None
        for received in service.received_messages(message.content).values()
    )


def _last_output_line(portal: Portal) -> str:
    return portal.output[-1].strip() if portal.output else ""
