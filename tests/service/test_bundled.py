"""The model that comes along: one child, kept alive, and missed without harm."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import config
from service import bundled
from service.application import Service, create_service
from service.bundled import BundledModel, Unavailable
from service.model import Model
from service.sampling import Sampling

pytestmark = pytest.mark.usefixtures("bundled_model")
SHORT = Sampling(temperature=0, max_tokens=5)
HELLO = [{"role": "user", "content": "Say hello."}]


@pytest.fixture
def new_model(tmp_path: Path) -> Iterator[Callable[[], Model]]:
    """Return the model of one more worker with each call."""
    models: list[Model] = []

    def new_model() -> Model:
        models.append(Model(config.load({"data_dir": tmp_path / "data", "model_window": 512})))
        return models[-1]

    yield new_model
    for model in models:
        model.close()


def test_it_answers_with_its_key_only(new_model: Callable[[], Model]):
    model = new_model()
    assert "".join(model.reply(HELLO, SHORT))

    address, key = model.bundled.address()
    with model._session.post(f"{address}/chat/completions", json={"messages": HELLO}) as answer:
        assert answer.status_code == 401
    assert key


def test_two_workers_share_one_child(new_model: Callable[[], Model]):
    first, second = new_model(), new_model()

    assert first.bundled.address() == second.bundled.address()
    assert second.bundled._child is None


def test_the_address_of_a_child_whose_owner_was_killed_is_not_believed(
    new_model: Callable[[], Model], tmp_path: Path
):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "model.json").write_text('{"address": "http://127.0.0.1:9", "key": "x"}')

    assert "".join(new_model().reply(HELLO, SHORT))


def test_a_child_that_dies_is_started_again(new_model: Callable[[], Model]):
    model = new_model()
    model.bundled.restart_pauses = (0,)
    before = model.bundled.address()
    os.kill(model.bundled._child.pid, signal.SIGKILL)
    model.bundled._child.wait(10)
    model.bundled._address_file.unlink(missing_ok=True)

    assert model.bundled.address() != before
    assert "".join(model.reply(HELLO, SHORT))


def test_without_weights_the_service_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(bundled, "weights", lambda: None)
    service = Service(create_service(config.load({"data_dir": tmp_path / "data"})))

    with pytest.raises(Unavailable) as error:
        service.parts.model.bundled.address()

    assert "is not installed" in str(error.value)
    assert service.note().summary == "There is no model at the moment"
    service.close()
    service.parts.database.close()


def test_a_child_that_cannot_start_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(bundled.sys, "executable", "/bin/false")
    model = BundledModel(tmp_path, window=512, parallel=1)

    with pytest.raises(Unavailable) as error:
        model.address()
    assert "cannot start" in str(error.value)
    model.stop()


@pytest.mark.parametrize("moment", ["before the key", "after the key", "after the address"])
def test_the_child_never_outlives_its_input(moment: str):
    for _ in range(3):
        child = subprocess.Popen(
            [sys.executable, "-m", "service.model_server", "512", "1"],
            cwd=config.ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
        )
        with child:
            if moment != "before the key":
                child.stdin.write(b"key\n")
            if moment == "after the address":
                assert child.stdout.readline().startswith(b"http")
            child.stdin.close()
            child.stdout.close()
            assert child.wait(20) == 0
