"""The peers: installation into separate environments, and servers with our own small apps."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import requests

from tests.support.processes import free_port
from tools.bench.chat_site import Site
from tools.bench.servers import ScriptedService, ServerProcess

APPS_DIR = Path(__file__).parent
START_TIMEOUT_SECONDS = 90


@dataclass(frozen=True)
class Peer:
    """A package to compare with: its version, the command of its app, and its selectors."""

    name: str
    version: str
    command: tuple[str, ...]
    composer: str
    reply: str

    def install(self, venvs_dir: Path) -> None:
        """Create an environment and install the package, unless that was done before."""
        venv_dir = venvs_dir / self.name
        marker_file = venv_dir / f"{self.version}.installed"
        if marker_file.exists():
            return
        print(f"Installing {self.name} {self.version} into {venv_dir}", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(venv_dir)], check=True)
        package = f"{self.name}=={self.version}"
        subprocess.run([str(venv_dir / "bin" / "pip"), "install", "--quiet", package], check=True)
        marker_file.touch()

    @contextmanager
    def run(self, venvs_dir: Path, service: ScriptedService, turns: int = 0) -> Iterator[Site]:
        """Serve the peer's app with the scripted service and a conversation of this many turns."""
        port = free_port()
        program, *arguments = (part.format(port=port, apps=APPS_DIR) for part in self.command)
        with (
            tempfile.TemporaryDirectory() as home,
            (Path(home) / "output").open("w") as output,
            subprocess.Popen(
                [venvs_dir.resolve() / self.name / "bin" / program, *arguments],
                cwd=home,
                env=_environment(Path(home), service, port, turns),
                stdout=output,
                stderr=output,
            ) as process,
        ):
            try:
                url = f"http://127.0.0.1:{port}"
                _wait_until_ready(url, process)
                server = ServerProcess(url, process.pid)
                yield Site(self.name, server, "/", self.composer, self.reply, self.reply)
            finally:
                process.kill()


def _environment(home: Path, service: ScriptedService, port: int, turns: int) -> dict[str, str]:
    return os.environ | {
        "SERVICE_URL": service.url,
        "PORT": str(port),
        "TURN_COUNT": str(turns),
        "HOME": str(home),
        "CHAINLIT_APP_ROOT": str(home),
        "GRADIO_ANALYTICS_ENABLED": "False",
        "HF_HUB_OFFLINE": "1",
        "NO_PROXY": "127.0.0.1,localhost",
    }


def _wait_until_ready(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_TIMEOUT_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        try:
            requests.get(url, timeout=START_TIMEOUT_SECONDS)
        except requests.ConnectionError:
            time.sleep(0.2)
        else:
            return
    raise TimeoutError(f"Nothing answers at {url}")


CHAINLIT = Peer(
    "chainlit",
    "2.12.0",
    ("chainlit", "run", "{apps}/chainlit_app.py", "--headless", "--port", "{port}"),
    "#chat-input",
    ".ai-message .message-content",
)
GRADIO = Peer("gradio", "6.31.0", ("python", "{apps}/gradio_app.py"), "textarea", ".bot.message")
PEERS = (CHAINLIT, GRADIO)
