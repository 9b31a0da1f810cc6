"""Starting and stopping the real processes: `app.py`, `python -m service` and `flask run`."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from textwrap import dedent

import pytest
from sqlalchemy import text

from chat.log.entries import Reply, ReplyState, build_reply
from chat.log.log import Log
from core.db.database import Database
from core.server.process_load import ProcessLoad
from rendering import render
from tests.support.html import parse_html
from tests.support.person import Page, Person, wait_for_reply
from tests.support.processes import ROOT, ServerProcess, create_api_key, free_port, run_server
from tests.support.upstream import Upstream

pytestmark = pytest.mark.usefixtures("processes")


@pytest.fixture
def somebody() -> Iterator[Person]:
    person = Person("")
    yield person
    person.close()


@pytest.mark.usefixtures("demo_model")
def test_demo_model_writes_replies_whose_text_survives_ctrl_c(tmp_path: Path, somebody: Person):
    with run_server(tmp_path, "app.py") as server:
        somebody.base_url = server.url
        page = wait_for_reply(somebody, somebody.start_conversation("a wheel and a river", "fable"))
        page = wait_for_reply(somebody, somebody.press(page, "Send", content="a clock"))
        assert page.reply_states == ["complete", "complete"]
        assert [len(words.split()) > 3 for words in replies(page)] == [True, True]

        examples = run_examples_of_api_document(server.url, tmp_path)
        assert (examples.returncode, '"type":"complete"' in examples.stdout) == (0, True), examples
        assert not examples.stdout.rstrip().endswith("}")

        turn_id, text = interrupt_reply(somebody, server)
    assert not (tmp_path / "model.json").exists()
    reply = stored_reply(tmp_path, turn_id)
    assert reply.state is ReplyState.INTERRUPTED
    assert text in " ".join(parse_html(render(reply.text)).get_text().split())


def replies(page: Page) -> list[str]:
    found = [turn.select_one(".turn__reply") for turn in page.turns]
    return [" ".join(reply.get_text().split()) for reply in found if reply]


def interrupt_reply(person: Person, server: ServerProcess) -> tuple[str, str]:
    """Press Ctrl+C during a reply; return the id of the turn and the text received."""
    page = person.start_conversation("steam engines", "fable")
    turn_id = str(page.turns[0]["data-turn"])
    with person.follow(turn_id) as stream:
        while not stream.text:
            stream.next_frame()
        text = " ".join(stream.text.split())
        assert server.stop(signal.SIGINT) == 0
        stream.remaining_events()
    assert server.read_output() == ""
    return turn_id, text


def stored_reply(data: Path, turn_id: str) -> Reply:
    database = Database(f"sqlite:///{data}/portal.db")
    log = Log(database, ProcessLoad(), on_end=lambda *_: None)
    reply = build_reply(log.read(turn_id))
    log.close()
    database.close()
    return reply


def run_examples_of_api_document(url: str, data: Path) -> subprocess.CompletedProcess[str]:
    document = (ROOT / "docs" / "api.md").read_text()
    blocks = [dedent(block) for block in re.findall(r"(?:^    .*\n|^\n(?=    ))+", document, re.M)]
    shell, python = (block for block in blocks if "API" in block or "api" in block)
    for written, here in (
        (".venv/bin/python", sys.executable),
        (".venv/bin/flask", f"{sys.executable} -m flask"),
        ("http://127.0.0.1:8000", url),
    ):
        shell = shell.replace(written, here)
    quoted = python.replace("'", "'\\''")
    return subprocess.run(
        ["bash", "-c", f"set -e\n{shell}\nexport API KEY\n{sys.executable} -c '{quoted}'"],
        check=False,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ | {"TWINDOW_DATA_DIR": str(data), "NO_PROXY": "*"},
        timeout=120,
    )


def test_portal_uses_a_service_in_another_process(
    tmp_path: Path, somebody: Person, upstream: Upstream
):
    upstream.always_reply("Hi")
    alone, portal = tmp_path / "service", tmp_path / "portal"
    with run_server(alone, "-m", "service", MODEL_URL=f"{upstream.url}/v1", MODEL="any") as service:
        key = create_api_key(alone, "portal")
        with run_server(portal, "app.py", API_URL=service.url, API_KEY=key) as server:
            somebody.base_url = server.url
            page = wait_for_reply(somebody, somebody.start_conversation("a cat", "fable"))

    assert page.reply_states == ["complete"]
    assert not (portal / "service.db").exists()
    assert f"data folder: {portal}, database: SQLite in the data folder" in server.start_output
    assert f"service: {service.url}, workers: 1, sign-in: visitor\n" in server.start_output
    assert f"model: any at {upstream.url}/v1, workers: 1\n" in service.start_output


def test_database_files_of_a_stopped_portal_are_complete(
    tmp_path: Path, somebody: Person, upstream: Upstream
):
    upstream.always_reply("Hi")
    data, copies = tmp_path / "data", tmp_path / "copies"
    model = {"MODEL_URL": f"{upstream.url}/v1", "MODEL": "any"}
    with run_server(data, "app.py", **model) as server:
        somebody.base_url = server.url
        page = wait_for_reply(somebody, somebody.start_conversation("a cat", "fable"))
        assert server.stop(signal.SIGTERM) == 0
    copies.mkdir()
    for name in ("portal.db", "service.db"):
        shutil.copy(data / name, copies)

    assert list(data.glob("*.db-*")) == []
    assert stored_reply(copies, str(page.turns[0]["data-turn"])).text == "Hi"
    with closing(sqlite3.connect(copies / "service.db")) as service:
        stored = service.execute("SELECT content FROM service_messages ORDER BY rowid").fetchall()
    assert stored == [("a cat",), ("Hi",)]


def test_flask_run_serves_portal_and_service(tmp_path: Path, somebody: Person, upstream: Upstream):
    upstream.always_reply("Hi")
    port = free_port()
    given = {"DATA_DIR": str(tmp_path), "MODEL_URL": f"{upstream.url}/v1", "MODEL": "any"}
    process = subprocess.Popen(
        [sys.executable, "-m", "flask", "--app", "app", "run", "--debug", "--port", str(port)],
        cwd=ROOT,
        env=os.environ | {f"TWINDOW_{name}": value for name, value in given.items()},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        for line in process.stdout:
            if "Debugger PIN" in line:
                break
        somebody.base_url = f"http://127.0.0.1:{port}"
        page = wait_for_reply(somebody, somebody.start_conversation("a cat", "fable"))
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.stdout.read()
        process.wait(10)
        process.stdout.close()

    assert page.reply_states == ["complete"]


def test_failed_start_prints_one_sentence_without_a_traceback(tmp_path: Path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        away = f"postgresql+psycopg://nobody@127.0.0.1:{free_port()}/portal"
        cases = [
            ({"PORT": "http"}, "TWINDOW_PORT=http cannot be used: it should be a whole number.\n"),
            ({"PORT": port}, f"Cannot listen on 127.0.0.1, port {port}: "),
            (
                {"PORT": str(free_port()), "DATABASE_URL": away},
                "failed: Connection refused. See docs/troubleshooting.md#database.",
            ),
            ({"PORT": str(free_port())}, "portal.db has version 9999, but this program supports"),
            ({"PORT": str(free_port())}, "The server cannot write to"),
        ]
        (tmp_path / "4" / "start.lock").mkdir(parents=True)
        database = Database(f"sqlite:///{tmp_path}/3/portal.db")
        (tmp_path / "3").mkdir()
        with database.write() as connection:
            connection.execute(text("CREATE TABLE alembic_version (version_num TEXT)"))
            connection.execute(text("INSERT INTO alembic_version VALUES ('9999')"))
        database.close()
        starts = [start(tmp_path / str(n), given) for n, (given, _) in enumerate(cases)]
        outputs = [process.communicate(timeout=60) for process in starts]

    for process, (stdout, stderr), (_, sentence) in zip(starts, outputs, cases, strict=True):
        assert process.returncode == os.EX_CONFIG
        assert sentence in stderr
        assert stderr.count("\n") == 1
        assert "Listening" not in stdout


def test_ctrl_c_during_startup_prints_no_traceback(tmp_path: Path):
    wrong = []
    for command in (["app.py"], ["-m", "service"]):
        process = start(tmp_path, {"PORT": str(free_port())}, "-X", "importtime", *command)
        assert process.stderr
        for line in process.stderr:
            if line.endswith(" flask.globals\n"):
                process.send_signal(signal.SIGINT)
                break
        _, rest = process.communicate(timeout=60)
        if process.returncode != -signal.SIGINT or "Traceback" in rest:
            wrong.append((command, process.returncode, rest))

    assert wrong == []


def start(data: Path, given: dict[str, str], *command: str) -> subprocess.Popen[str]:
    """Start a server process; the caller reads its stderr to the end."""
    settings = {"DATA_DIR": str(data)} | given
    return subprocess.Popen(
        [sys.executable, *(command or ["app.py"])],
        cwd=ROOT,
        env=os.environ | {f"TWINDOW_{name}": value for name, value in settings.items()},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
