"""Check the service against its OpenAPI document with schemathesis.

Run it with `python -m tests.service.contract --examples 500`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.service.conftest import TWIN
from tests.support import upstream_server
from tests.support.portals import serve
from tests.support.upstream import Call
from twindow.core.settings import load_settings
from twindow.service.app import create_service_app
from twindow.service.container import get_container
from twindow.service.credentials import rate_limit

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
MAX_LINE_LENGTH = 400
SEED = 20261121
UNLIMITED_REQUESTS = 10**9


def run(*, examples: int, seed: int = SEED) -> subprocess.CompletedProcess[str]:
    """Run all checks with `examples` requests to each operation; return the finished process."""
    with tempfile.TemporaryDirectory() as folder, _run_service(Path(folder)) as (url, secrets):
        command = [sys.executable, "-m", "schemathesis.cli"]
        command += ["--config-file", str(HERE / "schemathesis.toml")]
        command += ["run", f"{url}/api/v1/openapi.json", "--checks", "all", "--seed", str(seed)]
        command += ["--max-examples", str(examples), "--no-color", "--continue-on-failure"]
        command += ["--generation-database", "none", "--output-truncate", "true"]
        hooks = {"SCHEMATHESIS_HOOKS": "tests.service.schemathesis_hooks", "PYTHONPATH": str(ROOT)}
        environment = os.environ | secrets | hooks | {"NO_PROXY": "*"}
        return subprocess.run(
            command, check=False, capture_output=True, text=True, cwd=folder, env=environment
        )


@contextmanager
def _run_service(folder: Path) -> Iterator[tuple[str, dict[str, str]]]:
    twins = folder / "twins"
    twins.mkdir()
    (twins / "ada.md").write_text(TWIN)
    with upstream_server.run_upstream() as upstream:
        upstream.answers["/v1/chat/completions"] = _send_reply
        upstream.answers["/tokenize"] = 404, {}
        settings = load_settings(
            {
                "data_dir": folder / "data",
                "twins_dir": twins,
                "model_url": upstream.url,
                "model": "scripted",
            }
        )
        app = create_service_app(settings)
        container = get_container(app)
        per_hour = dict(rate_limit.REQUESTS_PER_HOUR)
        rate_limit.REQUESTS_PER_HOUR.update(dict.fromkeys(per_hour, UNLIMITED_REQUESTS))
        secrets = {
            "KEY": container.api_keys.create("alice", "contract", "full_access")[1],
            "JWT": container.jwt_tokens.sign("bob"),
        }
        with serve(app) as url:
            yield url, secrets
        rate_limit.REQUESTS_PER_HOUR.update(per_hour)
        container.reply_manager.close()
        container.database.close()


def _send_reply(call: Call) -> None:
    call.start_stream()
    call.delta("Hello")
    call.complete()


def main() -> None:
    """Print the report of schemathesis and exit with its status."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--examples", type=int, default=100)
    parser.add_argument("--seed", type=int, default=SEED)
    arguments = parser.parse_args()
    result = run(examples=arguments.examples, seed=arguments.seed)
    for line in f"{result.stdout}\n{result.stderr}".splitlines():
        print(line[:MAX_LINE_LENGTH])
    sys.exit(result.returncode)


if __name__ == "__main__":
    main()
