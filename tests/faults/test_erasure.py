"""Erasure: nothing of a purged conversation stays in the data folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from tests.support.clock import AdjustableClock
from tests.support.person import Person, wait_for_reply
from tests.support.portals import get_portal, serve
from tests.support.processes import free_port
from tests.support.upstream import Upstream
from tests.support.waiting import poll_until
from twindow import application
from twindow.chat.deletion import RESTORABLE_SECONDS
from twindow.core.settings import load_settings

# Words that occur nowhere else.
MESSAGE, REPLY = "Zyxomma petiolatum", "Quebrantahuesos"
PURGE_SECONDS = 20


def files_with(folder: Path, text: str) -> set[str]:
    """Return the names of the files that contain a text, in any case."""
    found = set()
    for path in folder.rglob("*"):
        # Meanwhile, SQLite may remove the write-ahead log of a database that is closed.
        with suppress(FileNotFoundError, IsADirectoryError):
            if text.lower().encode() in path.read_bytes().lower():
                found.add(path.name)
    return found


@pytest.fixture
def server(
    tmp_path: Path, upstream: Upstream, clock: AdjustableClock, monkeypatch: pytest.MonkeyPatch
) -> Iterator[application.Twindow]:
    """Return a portal with the embedded service, whose background work has not started."""
    monkeypatch.setattr("twindow.core.db.checkpoints.Checkpoints.interval_seconds", 0.05)
    model = {"model_url": f"{upstream.url}/v1", "model": "any"}
    settings = load_settings(
        {"data_dir": tmp_path / "data", "port": free_port()} | model, create_data_dir=True
    )
    server = application.Twindow(settings, clock)
    yield server
    server.close()
    server.disconnect()


def test_purged_conversation_leaves_no_byte_in_the_data_folder(
    server: application.Twindow, upstream: Upstream, tmp_path: Path, clock: AdjustableClock
):
    upstream.always_reply(f"{REPLY} it is.")
    with (
        serve(server.app, get_portal(server.app).settings.port) as url,
        closing(Person(url)) as anna,
    ):
        page = wait_for_reply(anna, anna.start_conversation(MESSAGE, twin="fable"))
        others = wait_for_reply(anna, anna.start_conversation("Hello", twin="fable"))
        # The log, the index and the service have the texts.
        assert {"portal.db", "service.db"} <= {
            name.removesuffix("-wal") for name in files_with(tmp_path, REPLY)
        }
        anna.press(anna.get(page.path), "Delete")
        anna.press(anna.get(others.path), "Delete")
        clock.advance(RESTORABLE_SECONDS)
        server.start()

        poll_until(lambda: not files_with(tmp_path, REPLY), PURGE_SECONDS)
        assert files_with(tmp_path, REPLY) == files_with(tmp_path, "Zyxomma") == set()
