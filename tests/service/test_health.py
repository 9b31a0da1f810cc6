"""Health checks for the operator of a service that runs without a portal."""

from __future__ import annotations

from typing import Any

import pytest
import requests
from flask import Flask

from tests.support.upstream import Call, Upstream
from twindow.core.db.errors import DatabaseUnavailable
from twindow.service.container import Container


def check(service: Flask) -> tuple[int, str]:
    result = service.test_cli_runner().invoke(args=["twindow", "check"])
    return result.exit_code, result.output


def reply(call: Call) -> None:
    call.start_stream()
    call.delta("Yes")
    call.complete()


def test_check_succeeds_when_database_and_model_work(service: Flask, model: Upstream, url: str):
    model.answers["/v1/chat/completions"] = reply

    status, output = check(service)

    assert status == 0
    assert output.startswith("The service's database is writable.\nThe model at http://")
    assert model.calls[-1].body["messages"] == [{"role": "user", "content": "Say yes"}]
    assert requests.get(f"{url}/readyz", timeout=10).text == "ok\n"


@pytest.mark.parametrize(
    ("answer", "twin", "problem"),
    [
        ((401, {}), "---\nname: Bob\n---\n", "rejected the API key. Check TWINDOW_MODEL_KEY.\n"),
        (reply, "no front matter", "bob.md: line 1"),
    ],
    ids=["key", "twin"],
)
def test_check_reports_a_rejected_key_and_an_invalid_twin_file(
    service: Flask, container: Container, model: Upstream, answer: Any, twin: str, problem: str
):
    model.answers["/v1/chat/completions"] = answer
    (container.twins.folder / "bob.md").write_text(twin)

    status, output = check(service)

    assert status == 1
    assert problem in output


def test_unwritable_database_fails_check_command_and_readiness_but_not_liveness(
    service: Flask, container: Container, url: str, model: Upstream, monkeypatch: pytest.MonkeyPatch
):
    model.answers["/v1/chat/completions"] = reply

    def away() -> None:
        raise DatabaseUnavailable

    monkeypatch.setattr(container.database, "write", away)

    status, output = check(service)

    assert status == 1
    assert "The service's database is not writable." in output
    paths = "/livez", "/healthz", "/readyz"
    statuses = [requests.get(f"{url}{path}", timeout=10).status_code for path in paths]
    assert statuses == [200, 200, 503]
