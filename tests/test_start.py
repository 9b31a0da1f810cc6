"""Starting and stopping `app.py`, `python -m twindow.service` and `flask run`."""

from __future__ import annotations

import logging
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from textwrap import dedent

import pytest

from app import main
from tests.support.commands import run_flask
from tests.support.html import parse_html
from tests.support.person import Page, Person, wait_for_reply
from tests.support.processes import ServerProcess, create_api_key, free_port, run_server
from tests.support.upstream import Upstream
from twindow.chat.log.entries import Reply, ReplyState, build_reply
from twindow.chat.log.log import Log
from twindow.core.db.database import Database
from twindow.core.server.gunicorn_server import Server
from twindow.core.server.process_load import ProcessLoad
from twindow.paths import ROOT
from twindow.rendering import render

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

        examples = run_curl_example_of_api_document(server.url, tmp_path)
        assert (examples.returncode, '"type":"complete"' in examples.stdout) == (0, True), examples

        turn_id, text = interrupt_reply(somebody, server)
    assert not (tmp_path / "model.json").exists()
    assert list(tmp_path.glob("*.db-*")) == []
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
    log = Log(database, ProcessLoad(), on_stored=lambda *_: None)
    reply = build_reply(log.read(turn_id))
    log.close()
    database.close()
    return reply


def run_curl_example_of_api_document(url: str, data: Path) -> subprocess.CompletedProcess[str]:
    document = (ROOT / "docs" / "api.md").read_text()
    blocks = [dedent(block) for block in re.findall(r"(?:^    .*\n|^\n(?=    ))+", document, re.M)]
    shell = next(block for block in blocks if "$API" in block)
    for written, here in (
        (".venv/bin/python", sys.executable),
        (".venv/bin/flask", f"{sys.executable} -m flask"),
        ("http://127.0.0.1:8000", url),
    ):
        shell = shell.replace(written, here)
    return subprocess.run(
        ["bash", "-c", f"set -e\n{shell}"],
        check=False,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ | {"TWINDOW_DATA_DIR": str(data), "NO_PROXY": "*"},
        timeout=120,
    )


def test_portal_uses_a_service_in_another_process_and_both_leave_complete_databases(
    tmp_path: Path, somebody: Person, upstream: Upstream
):
    upstream.always_reply("Hi")
    alone, portal = tmp_path / "service", tmp_path / "portal"
    with run_server(
        alone, "-m", "twindow.service", MODEL_URL=f"{upstream.url}/v1", MODEL="any"
    ) as service:
        api = {"API_URL": service.url, "API_KEY": create_api_key(alone, "portal")}
        run_flask("--app", "app", "twindow", "upgrade", DATA_DIR=portal, **api)
        with run_server(portal, "app.py", "--no-migrate", **api) as server:
            somebody.base_url = server.url
            page = wait_for_reply(somebody, somebody.start_conversation("a cat", "fable"))
            assert server.stop(signal.SIGTERM) == 0
        assert service.stop(signal.SIGTERM) == 0

    assert page.reply_states == ["complete"]
    assert f"data folder: {portal}, database: SQLite in the data folder" in server.start_output
    assert f"service: {service.url}, workers: 1, sign-in: visitor\n" in server.start_output
    assert f"model: any at {upstream.url}/v1, workers: 1\n" in service.start_output
    assert not (portal / "service.db").exists()
    assert list(tmp_path.glob("*/*.db-*")) == []
    assert stored_reply(portal, str(page.turns[0]["data-turn"])).text == "Hi"
    with closing(sqlite3.connect(alone / "service.db")) as database:
        stored = database.execute("SELECT content FROM service_messages ORDER BY rowid").fetchall()
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


Start = Callable[..., str]


@pytest.fixture
def fail_to_start(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Start]:
    """Return a function that starts a server in this process, and returns what it prints.

    The start must fail with the exit code of a wrong configuration.
    """
    handlers = list(logging.getLogger().handlers)
    monkeypatch.setattr(Server, "run", lambda _: pytest.fail("The server has started."))

    def start(*arguments: str, **settings: object) -> str:
        monkeypatch.setattr(sys, "argv", ["app.py", *arguments])
        for name, value in settings.items():
            monkeypatch.setenv(f"TWINDOW_{name}", str(value))
        with pytest.raises(SystemExit) as ended:
            main()
        output = capsys.readouterr()
        assert (ended.value.code, output.out) == (os.EX_CONFIG, "")
        return output.err

    yield start
    logging.getLogger().handlers = handlers


def test_failed_start_prints_one_sentence(tmp_path: Path, fail_to_start: Start):
    (tmp_path / "locked" / "start.lock").mkdir(parents=True)
    (tmp_path / "newer").mkdir()
    with closing(sqlite3.connect(tmp_path / "newer" / "portal.db")) as database:
        database.executescript(
            "CREATE TABLE alembic_version (version_num TEXT);"
            "INSERT INTO alembic_version VALUES ('9999');"
        )
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        away = f"postgresql+psycopg://nobody@127.0.0.1:{free_port()}/portal"
        cases = {
            "TWINDOW_PORT=http cannot be used: it should be a whole number.\n": {"PORT": "http"},
            f"Cannot listen on 127.0.0.1, port {port}: ": {"PORT": port},
            "Connection refused. See docs/troubleshooting.md#database.": {"DATABASE_URL": away},
            "portal.db has version 9999, but this": {"DATA_DIR": str(tmp_path / "newer")},
            "The server cannot write to": {"DATA_DIR": str(tmp_path / "locked")},
        }
        free = {"DATA_DIR": str(tmp_path / "data"), "PORT": str(free_port()), "DATABASE_URL": ""}
        outputs = {sentence: fail_to_start(**free | given) for sentence, given in cases.items()}

    assert [(said, output) for said, output in outputs.items() if said not in output] == []
    assert [output.count("\n") for output in outputs.values()] == [1] * len(cases)


def test_server_with_no_migrate_refuses_tables_that_are_not_the_newest(
    tmp_path: Path, fail_to_start: Start
):
    for name, text in (("secret_key", "s" * 32), ("jwt_secret", "j" * 32), ("portal.db", "")):
        (tmp_path / name).write_text(text)

    output = fail_to_start("--no-migrate", DATA_DIR=tmp_path, PORT=free_port())

    assert output.count("\n") == 1
    assert "is not up to date: “twindow upgrade”, or a start of the server" in output
    with closing(sqlite3.connect(tmp_path / "portal.db")) as database:
        assert database.execute("SELECT name FROM sqlite_master").fetchall() == []


def test_ctrl_c_during_startup_prints_no_traceback(tmp_path: Path):
    settings = {"TWINDOW_DATA_DIR": str(tmp_path), "TWINDOW_PORT": str(free_port())}
    wrong = []
    for command in (["app.py"], ["-m", "twindow.service"]):
        process = subprocess.Popen(
            [sys.executable, "-X", "importtime", *command],
            cwd=ROOT,
            env=os.environ | settings,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stderr
        for line in process.stderr:
            if line.endswith(" flask.globals\n"):
                process.send_signal(signal.SIGINT)
                break
        _, rest = process.communicate(timeout=60)
        if process.returncode != -signal.SIGINT or "Traceback" in rest:
            wrong.append((command, process.returncode, rest))

    assert wrong == []
