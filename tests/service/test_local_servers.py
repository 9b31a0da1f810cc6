"""Model servers on this machine: which line connects them."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.support.upstream import Upstream
from twindow.core.settings import load_settings
from twindow.service.llm import find_local_servers, local_servers

# Lists as the servers return them.
LISTS = {
    "Ollama": (
        {"object": "list", "data": [{"id": "nomic-embed-text"}, {"id": "qwen3:8b"}]},
        "qwen3:8b",
    ),
    "llama.cpp": (
        {"models": [{"name": "a b.gguf", "type": "model"}], "data": [{"id": "/home/a b.gguf"}]},
        "'/home/a b.gguf'",
    ),
    "other program": ({"status": "ok"}, None),
    "name with a line break": ({"data": [{"id": "x\nTWINDOW_HOST=0.0.0.0"}]}, None),
}


def commands(tmp_path: Path, port: int | None) -> list[str]:
    settings = load_settings({"data_dir": tmp_path})
    return [server.command for server in find_local_servers(settings, {"Ollama": port or 0})]


@pytest.mark.parametrize(("models", "name"), LISTS.values(), ids=LISTS)
def test_local_server_with_a_chat_model_is_offered(
    model: Upstream, tmp_path: Path, models: Any, name: str | None
):
    model.answers["/v1/models"] = 200, models

    lines = commands(tmp_path, urlsplit(model.url).port)

    assert lines == (
        [f"TWINDOW_MODEL_URL={model.url} TWINDOW_MODEL={name} make run"] if name else []
    )
    assert [call.path for call in model.calls] == ["/v1/models"]


def test_port_that_does_not_answer_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(local_servers, "TIMEOUT_SECONDS", 0.05)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        assert commands(tmp_path, silent.getsockname()[1]) == []
    assert commands(tmp_path, 1) == []
