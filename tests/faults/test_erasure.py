"""Erasure: nothing of a purged conversation stays in the data folder."""

from __future__ import annotations

import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from chat.deletion import RESTORABLE_SECONDS
from tests.support.person import Person, wait_for_reply
from tests.support.processes import run_server
from tests.support.upstream import Upstream
from tests.support.waiting import poll_until

# Words that occur nowhere else.
MESSAGE, REPLY = "Zyxomma petiolatum", "Quebrantahuesos"
PURGE_SECONDS = 20


def files_with(folder: Path, text: str) -> list[str]:
    """Return the names of the files that contain a text, in any case."""
    paths = [path for path in folder.rglob("*") if path.is_file()]
    return [path.name for path in paths if text.lower().encode() in path.read_bytes().lower()]


@pytest.mark.usefixtures("processes")
def test_purged_conversation_leaves_no_byte_in_the_data_folder(upstream: Upstream, tmp_path: Path):
    upstream.always_reply(f"{REPLY} it is.")
    settings = {"MODEL_URL": f"{upstream.url}/v1"}
    with run_server(tmp_path, "app.py", **settings) as server:
        server.wait_until_ready()
        with closing(Person(server.url)) as anna:
            page = wait_for_reply(anna, anna.start_conversation(MESSAGE, twin="fable"))
            others = wait_for_reply(anna, anna.start_conversation("Hello", twin="fable"))
            # The log, the index and the service have the texts.
            assert {"portal.db", "service.db"} <= {
                name.removesuffix("-wal") for name in files_with(tmp_path, REPLY)
            }
            anna.press(anna.get(page.path), "Delete")
            anna.press(anna.get(others.path), "Delete")
        server.stop(signal.SIGTERM)
    with closing(sqlite3.connect(tmp_path / "portal.db")) as database:
        database.execute(
            "UPDATE conversations SET deleted_at = deleted_at - ?", [RESTORABLE_SECONDS]
        )
        database.commit()

    with run_server(tmp_path, "app.py", **settings) as server:
        server.wait_until_ready()
        poll_until(lambda: not files_with(tmp_path, REPLY), PURGE_SECONDS, 0.5)
        assert files_with(tmp_path, REPLY) == files_with(tmp_path, "Zyxomma") == []
