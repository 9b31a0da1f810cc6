"""The quick starts of docs/operating.md: their settings and commands work as they are written."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import make_url

from tests.support.postgres import Postgres
from tests.support.processes import free_port, run_server
from tests.support.upstream import Upstream
from twindow.paths import ROOT

QUICK_STARTS = dict(
    re.findall(
        r"^### (.*?)\n(.*?)(?=^###? )",
        (ROOT / "docs" / "operating.md")
        .read_text()
        .split("## Quick starts\n")[1]
        .split("## Access")[0]
        + "## ",
        re.DOTALL | re.MULTILINE,
    )
)
COMMAND = "    sudo -u twindow .venv/bin/flask --env-file /etc/twindow.env --app app "


def lines_of(name: str, start: str) -> list[str]:
    """Return the lines of a quick start that begin with a text."""
    return [line.strip() for line in QUICK_STARTS[name].splitlines() if line.startswith(start)]


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("name", QUICK_STARTS)
def test_settings_and_commands_of_a_quick_start_work(
    name: str, tmp_path: Path, postgres: Postgres, upstream: Upstream
):
    port, url = free_port(), make_url(postgres.create_database(template="template0"))
    replaced = {
        "/var/lib/twindow": str(tmp_path / "data"),
        "postgresql+psycopg://twindow:PASSWORD@10.0.0.6/twindow": url.render_as_string(),
        "https://models.example.org": upstream.url,
        "TWINDOW_HOST=0.0.0.0": "TWINDOW_HOST=127.0.0.1",
    }
    settings = "\n".join([*lines_of(name, "    TWINDOW_"), f"TWINDOW_PORT={port}"])
    for documented, real in replaced.items():
        settings = settings.replace(documented, real)
    file = tmp_path / "twindow.env"
    file.write_text(settings)

    def run(command: str) -> None:
        arguments = shlex.split(command.replace("/etc/twindow.env", str(file)))
        program = [sys.executable, "-m", "flask", *arguments[4:]]
        # Without a proxy and a model, only this machine can be checked.
        program += ["--offline"] * command.endswith("check")
        done = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr

    with run_server(tmp_path / "data", "app.py", "--env-file", str(file), PORT=str(port)) as server:
        server.wait_until_ready()
        for command in lines_of(name, COMMAND):
            run(command)
