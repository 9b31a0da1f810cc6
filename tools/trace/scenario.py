"""A traced scenario: a portal sends a message to a scripted service and receives a delta."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import app as twindow
from tests.support.person import HTMX_HEADERS, Page, Person
from tests.support.portals import close_portal, serve
from tests.support.upstream import UPSTREAM_KEY, Call, Upstream
from tests.support.upstream_server import run_upstream
from tests.support.waiting import wait_until
from tools.trace.recorder import Recorder, Recording

ROOT = Path(twindow.__file__).parent


def run() -> tuple[Recording, Recording]:
    """Record the sending and display of a message, and the handling of a delta of its reply.

    The watchdog and the measurement of the lag are left out, so that every run records the same
    calls. The heartbeat does not run during a recording: it is due two seconds after the message at
    the earliest.
    """
    with (
        tempfile.TemporaryDirectory() as data,
        Recorder(ROOT) as recorder,
        run_upstream() as upstream,
    ):
        settings = {"api_url": upstream.url, "api_key": UPSTREAM_KEY, "data_dir": Path(data)}
        app = twindow.create_app(settings)
        try:
            with serve(_name_threads(app)) as url, closing(Person(url)) as person:
                return _run(recorder, person, upstream, Path(data))
        finally:
            upstream.close_calls()
            close_portal(app)


def _run(
    recorder: Recorder, person: Person, upstream: Upstream, data: Path
) -> tuple[Recording, Recording]:
    page = person.start_conversation("The first message")
    _finish_reply(person, page, upstream.next_call())
    # Warm up: the first use compiles templates and builds statements.
    page, call = _send_message(person, upstream, person.get(page.path))
    _finish_reply(person, page, call)
    form = person.get(page.path)
    with recorder.record() as message:
        page, call = _send_message(person, upstream, form)
    with person.follow(_newest_turn(page)) as stream:
        call.start_stream().delta("The first delta")
        stream.read_until("The first delta")
        wait_until(lambda: _is_stored(data, "The first delta"))
        with recorder.record() as delta:
            call.delta(" and the second")
            stream.read_until("and the second")
            wait_until(lambda: _is_stored(data, "and the second"))
        call.complete()
        stream.remaining_events()
    # Leave out the threads of the reply: the recording of the delta includes them.
    return message.limited_to(_is_request), delta


def _send_message(person: Person, upstream: Upstream, form: Page) -> tuple[Page, Call]:
    """Send a message as htmx does; when the service has received it, open the page again."""
    action, fields = form.button_action("Send")
    fields |= {"content": "A message"}
    person.post(action, fields, **HTMX_HEADERS)
    call = upstream.next_call()
    return person.get(form.path), call


def _finish_reply(person: Person, page: Page, call: Call) -> None:
    with person.follow(_newest_turn(page)) as stream:
        call.start_stream().delta("A reply")
        stream.read_until("A reply")
        call.complete()
        stream.remaining_events()


def _newest_turn(page: Page) -> str:
    return str(page.turns[-1]["data-turn"])


def _is_stored(data: Path, text: str) -> bool:
    """Return whether a file of the database contains a text."""
    return any(text.encode() in path.read_bytes() for path in data.glob("*.db*"))


def _is_request(thread: str) -> bool:
    return thread.startswith(("GET ", "POST "))


def _name_threads(app: Callable[..., Iterable[bytes]]) -> Callable[..., Iterable[bytes]]:
    """Name the thread of each request after its method and path."""

    def handle(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        request = f"{environ['REQUEST_METHOD']} {environ['PATH_INFO']}"
        threading.current_thread().name = request
        return app(environ, start_response)

    return handle
