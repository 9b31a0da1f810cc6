"""The demo model: workers share one process, which is restarted; without it, twins are hidden."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.settings import ROOT, load_settings
from service.app import Service, create_service_app, log_unlisted_twins
from service.llm.demo import DemoModel, process
from service.llm.demo import model as demo_model
from service.llm.demo.process import MAX_LOG_BYTES, DemoModelUnavailable, DemoProcess
from service.twins import FrontMatter

pytestmark = pytest.mark.usefixtures("demo_model")
SHORT = FrontMatter(name="Ada", temperature=0, max_tokens=5)
HELLO = [{"role": "user", "content": "Say hello."}]


@pytest.fixture
def new_model(tmp_path: Path) -> Iterator[Callable[[], DemoModel]]:
    """Return a factory. Each call creates the model client of another worker."""
    models: list[DemoModel] = []

    def new_model() -> DemoModel:
        models.append(
            DemoModel(load_settings({"data_dir": tmp_path / "data", "model_window": 512}))
        )
        return models[-1]

    yield new_model
    for model in reversed(models):  # the first client owns the model process
        model.close()


def test_workers_share_one_model_process_that_is_restarted(
    new_model: Callable[[], DemoModel], tmp_path: Path
):
    (tmp_path / "data").mkdir()
    killed = '{"address": "http://127.0.0.1:9", "key": "x"}'  # a killed worker left this
    (tmp_path / "data" / "model.json").write_text(killed)
    first = new_model()
    first.process.restart_delays = (0,)
    assert "".join(first.stream_reply(HELLO, SHORT))

    address, key = before = first.process.url_and_key()
    with first._session.post(f"{address}/chat/completions", json={"messages": HELLO}) as answer:
        assert answer.status_code == 401
    assert key

    second = new_model()
    assert second.process.url_and_key() == before
    assert second.process._child is None

    os.kill(first.process._child.pid, signal.SIGKILL)
    first.process._child.wait(10)
    first.process._address_file.unlink(missing_ok=True)
    assert first.process.url_and_key() != before
    assert "".join(second.stream_reply(HELLO, SHORT))


def test_address_file_of_a_killed_worker_is_removed_before_the_model_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "model.json").write_text('{"address": "http://127.0.0.1:9", "key": "x"}')
    model = DemoProcess(tmp_path, window=512, parallel=1)
    addresses_exist: list[bool] = []

    def run_child() -> None:
        addresses_exist.append((tmp_path / "model.json").exists())
        model._is_stopping = True

    monkeypatch.setattr(model, "_run_child", run_child)
    model.start()
    model._supervisor.join()

    assert addresses_exist == [False]


def test_large_log_of_the_model_process_is_emptied(
    new_model: Callable[[], DemoModel], tmp_path: Path
):
    (tmp_path / "data").mkdir()
    log = tmp_path / "data" / "model.log"
    log.write_bytes(b"x" * (MAX_LOG_BYTES + 1))
    model = new_model()
    for _ in range(2):
        assert "".join(model.stream_reply(HELLO, SHORT))
        assert log.stat().st_size < MAX_LOG_BYTES

        with log.open("ab") as file:
            file.write(b"x" * MAX_LOG_BYTES)


@pytest.mark.parametrize("reason", ["not installed", "turned off"])
def test_without_a_model_only_twins_that_quote_are_listed_and_the_log_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, reason: str
):
    if reason == "not installed":
        monkeypatch.setattr(demo_model, "find_weights", lambda: None)
    settings = {"data_dir": tmp_path / "data", "demo_model": reason != "turned off"}
    service = Service(create_service_app(load_settings(settings)))
    service.start()
    twins = service.container.twins

    assert [twin.id for twin in twins.list_visible_to("alice", set())] == ["ada", "guide"]
    assert twins.find_visible_to("fable", "alice", set()) is None
    assert service.container.model.process._supervisor is None
    log_unlisted_twins(service.container.settings)
    assert caplog.messages.count("Not listed, because there is no model: fable") == 1
    assert service.model_note("fable") is None
    findings = [finding.sentence for finding in service.findings(asks_model=True)]
    assert "Not listed, because there is no model: fable." in findings
    service.close()
    service.disconnect()


def test_note_about_the_demo_model_belongs_to_the_twins_that_use_it(tmp_path: Path):
    service = Service(create_service_app(load_settings({"data_dir": tmp_path / "data"})))

    assert service.model_note("fable") is not None
    assert service.model_note("guide") is None
    service.container.model.process.problem = "It can't start."
    assert service.model_note("fable").summary == "No model is available"
    service.close()
    service.container.database.close()


def test_model_process_that_cannot_start_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(process.sys, "executable", "/bin/false")
    model = DemoProcess(tmp_path, window=512, parallel=1)
    model.restart_delays = (0.01,)

    with pytest.raises(DemoModelUnavailable) as error:
        model.url_and_key()
    assert "can't start" in str(error.value)
    model.stop()


def test_model_process_ends_when_its_stdin_closes():
    children = {moment: start() for moment in ("before the key", "after the key", "at work")}
    for moment, child in children.items():
        if moment != "before the key":
            child.stdin.write(b"key\n")
        if moment == "at work":
            assert child.stdout.readline().startswith(b"http")
        child.stdin.close()
        child.stdout.close()

    ends = {moment: child.wait(20) for moment, child in children.items()}
    assert ends == dict.fromkeys(children, 0)


def start() -> subprocess.Popen[bytes]:
    """Start the server of the demo model."""
    return subprocess.Popen(
        [sys.executable, "-m", "service.llm.demo.server", "512", "1"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        bufsize=0,
    )
