"""The handbook of the twin Guide: its commands and settings work."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from dotenv import dotenv_values

from tests.support.commands import run_flask
from tests.support.processes import run_server
from tests.support.upstream import Upstream
from twindow.core.settings import SettingsError, load_settings
from twindow.paths import ROOT

HANDBOOK = sorted((ROOT / "twins" / "guide").glob("*.md"))
# Commands that install, start a server or need another host.
NOT_RUN = (
    "make run",
    "pip install",
    "git pull",
    "sudo ",
    "-m venv",
    "python app.py",
    "-m twindow.service\n",
    "--through",
    "/ID\n",
)
# These commands run in this process, because each process takes a second to start.
FLASK = ".venv/bin/flask "
# What some settings need besides.
OTHER_SETTINGS = {
    "TWINDOW_SIGN_IN": "visitor,password",
    "TWINDOW_PROXY_USER_HEADER": "X-Remote-User",
    "TWINDOW_PROXY_NETWORKS": "127.0.0.1",
}


def blocks(language: str) -> Iterator[tuple[str, str]]:
    """Yield each article's name and its code blocks, in one text."""
    for file in HANDBOOK:
        found = re.findall(
            rf"^```{language}\n(.*?)^```", file.read_text(), re.MULTILINE | re.DOTALL
        )
        if found:
            yield file.name, "".join(found)


@pytest.mark.usefixtures("processes")
def test_commands_of_the_handbook_work(tmp_path: Path, upstream: Upstream):
    upstream.always_reply("Yes.")
    data = tmp_path / "data"
    settings = {"MODEL_URL": f"{upstream.url}/v1", "MODEL": "any", "SIGN_IN": "visitor,password"}
    failed = []
    with run_server(data, "app.py", **settings) as server:
        server.wait_until_ready()
        settings |= {"DATA_DIR": str(data), "PORT": str(server.port)}
        for name, text in blocks("sh"):
            for written, here in (
                ("http://127.0.0.1:8000", server.url),
                ("TWINDOW_DATA_DIR=service-data", f"TWINDOW_DATA_DIR={data}"),
                (" data/", f" {data}/"),
                ("../twindow-backup", str(tmp_path / "backup")),
            ):
                text = text.replace(written, here)
            failed += [(name, error) for error in run_lines(text, settings)]

    assert failed == []
    assert (tmp_path / "backup" / "portal.db").exists()


def run_lines(text: str, settings: dict[str, str]) -> list[str]:
    """Run lines of a shell, and return the output of those that fail."""
    lines = [line for line in text.splitlines() if not any(map(f"{line}\n".count, NOT_RUN))]
    commands = [line.removeprefix(FLASK) for line in lines if line.startswith(FLASK)]
    results = [run_flask(*shlex.split(command), **settings) for command in commands]
    script = "\n".join(line for line in lines if not line.startswith(FLASK))
    return [each.output for each in results if each.exit_code] + run_script(script, settings)


def run_script(script: str, settings: dict[str, str]) -> list[str]:
    script = script.replace("curl ", "curl --fail --silent ")
    variables = {f"TWINDOW_{name}": value for name, value in settings.items()}
    result = subprocess.run(
        ["bash", "-ec", script.replace(".venv/bin", str(Path(sys.executable).parent))],
        check=False,
        cwd=ROOT,
        env=os.environ | variables | {"NO_PROXY": "*"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    return [result.stdout + result.stderr] if result.returncode else []


def test_settings_of_the_handbook_are_valid(tmp_path: Path):
    (tmp_path / "logo.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')
    invalid = []
    for name, text in blocks("ini"):
        text = text.replace("/etc/twindow", str(tmp_path)).replace("…", "x")
        variables = OTHER_SETTINGS | dotenv_values(stream=StringIO(text))
        settings = {key.removeprefix("TWINDOW_").lower(): value for key, value in variables.items()}
        try:
            load_settings(settings | {"data_dir": tmp_path})
        except SettingsError as error:
            invalid.append((name, str(error)))

    assert invalid == []
