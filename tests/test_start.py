"""The real thing: `python app.py`, its own service, the model that comes with it."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from tests.support.person import Person, ended
from tests.support.processes import ROOT, free_port, new_key, running

pytestmark = pytest.mark.usefixtures("bundled_model")


@pytest.fixture
def somebody() -> Iterator[Person]:
    person = Person("")
    yield person
    person.close()


def test_a_fresh_start_serves_a_reply_from_the_bundled_model(tmp_path: Path, somebody: Person):
    with running(tmp_path, "app.py") as server:
        somebody.base_url = server.url
        page = ended(somebody, somebody.begin("Hello, who are you?"))
        page = somebody.press(page, "Send", content="What is a wheel?")
        page = ended(somebody, page)

    assert page.states == ["complete", "complete"]
    for turn in page.turns:
        reply = turn.select_one(".turn__reply")
        assert reply is not None
        assert len(reply.get_text().split()) > 3
    assert not (tmp_path / "model.json").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_with_streams_open_and_keeps_the_text(
    tmp_path: Path, somebody: Person, number: signal.Signals
):
    with running(tmp_path, "app.py") as server:
        somebody.base_url = server.url
        page = somebody.begin("Tell me about steam engines.")
        with somebody.follow(str(page.turns[0]["data-turn"])) as stream:
            while not stream.text:
                stream.next()
            text = stream.text
            assert server.end(number) == 0
            stream.rest()
        assert server.said() == ""

    with running(tmp_path, "app.py") as server:
        somebody.base_url = server.url
        page = somebody.get(page.path)
    assert page.states == ["interrupted"]
    assert " ".join(text.split()) in page.text


def test_the_portal_speaks_to_a_service_that_runs_alone(tmp_path: Path, somebody: Person):
    alone, portal = tmp_path / "service", tmp_path / "portal"
    with running(alone, "-m", "service") as service:
        key = new_key(alone, "portal")
        with running(portal, "app.py", API_URL=service.url, API_KEY=key) as server:
            somebody.base_url = server.url
            page = ended(somebody, somebody.begin("Hello"))

    assert page.states == ["complete"]
    assert not (portal / "service.db").exists()


def test_a_wrong_setting_stops_the_start_with_one_sentence(tmp_path: Path):
    ended = subprocess.run(
        [sys.executable, "app.py"],
        cwd=ROOT,
        env=os.environ | {"TWINDOW_DATA_DIR": str(tmp_path), "TWINDOW_PORT": "http"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert ended.returncode == 1
    assert ended.stderr == "TWINDOW_PORT=http cannot be used: it should be a whole number.\n"


def test_flask_run_works_for_developing(tmp_path: Path, somebody: Person):
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "flask", "--app", "app", "run", "--debug", "--port", str(port)],
        cwd=ROOT,
        env=os.environ | {"TWINDOW_DATA_DIR": str(tmp_path)},
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
        page = ended(somebody, somebody.begin("Hello"))
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.stdout.read()
        process.wait(10)
        process.stdout.close()

    assert page.states == ["complete"]


def test_an_address_that_is_taken_is_told_in_one_sentence(tmp_path: Path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = subprocess.run(
            [sys.executable, "app.py"],
            cwd=ROOT,
            env=os.environ | {"TWINDOW_DATA_DIR": str(tmp_path), "TWINDOW_PORT": str(port)},
            capture_output=True,
            text=True,
            check=False,
        )

    assert ended.returncode == 1
    assert ended.stderr.startswith(f"Nothing can be served at 127.0.0.1, port {port}: ")
    assert ended.stderr.count("\n") == 1


def test_the_examples_of_the_api_document_run(tmp_path: Path):
    document = (ROOT / "docs" / "api.md").read_text()
    blocks = [dedent(block) for block in re.findall(r"(?:^    .*\n|^\n(?=    ))+", document, re.M)]
    shell, python = (block for block in blocks if "API" in block or "api" in block)
    with running(tmp_path, "app.py") as server:
        for written, here in (
            (".venv/bin/python", sys.executable),
            (".venv/bin/flask", f"{sys.executable} -m flask"),
            ("http://127.0.0.1:8000", server.url),
        ):
            shell = shell.replace(written, here)
        own = os.environ | {"TWINDOW_DATA_DIR": str(tmp_path), "NO_PROXY": "*"}
        script = f"set -e\n{shell}\nexport API KEY\n{sys.executable} -c '{quoted(python)}'"
        done = subprocess.run(
            ["bash", "-c", script],
            check=False,
            capture_output=True,
            text=True,
            cwd=ROOT,
            env=own,
            timeout=120,
        )

    assert (done.returncode, '"type":"complete"' in done.stdout) == (0, True), done
    assert done.stdout.rstrip()[-1] not in "}"


def quoted(text: str) -> str:
    return text.replace("'", "'\\''")


def test_a_database_that_is_away_is_said_in_one_sentence(tmp_path: Path):
    away = f"postgresql+psycopg://nobody@127.0.0.1:{free_port()}/portal"
    given = {"DATA_DIR": str(tmp_path), "PORT": str(free_port()), "DATABASE_URL": away}
    ended = subprocess.run(
        [sys.executable, "app.py"],
        cwd=ROOT,
        env=os.environ | {f"TWINDOW_{name}": value for name, value in given.items()},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert ended.returncode != 0
    assert "The database does not answer. TWINDOW_DATABASE_URL says where" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("command", [["app.py"], ["-m", "service"]], ids=["portal", "service"])
def test_ctrl_c_ends_a_start_without_a_word(tmp_path: Path, command: list[str]):
    own = os.environ | {"TWINDOW_DATA_DIR": str(tmp_path), "TWINDOW_PORT": str(free_port())}
    with subprocess.Popen(
        [sys.executable, "-X", "importtime", *command],
        cwd=ROOT,
        env=own,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stderr
        for line in process.stderr:
            if line.endswith(" flask.globals\n"):
                process.send_signal(signal.SIGINT)
                break
        rest = process.stderr.read()

    assert process.returncode == -signal.SIGINT
    assert "Traceback" not in rest
