"""oidc-provider, a provider of OpenID Connect that others made (npm), as a process."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.node import find_or_install_node
from tests.support.packages import find_program
from twindow.paths import ROOT

SOURCES = ROOT / "tests" / "partners" / "openid"


@contextmanager
def run_openid_provider(folder: Path, port: int, portal_url: str) -> Iterator[str]:
    """Install and run the provider for a portal, and yield its issuer."""
    shutil.copytree(SOURCES, folder)
    npm = find_program("npm", "npm")
    options = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"]
    subprocess.run([npm, "ci", *options], cwd=folder, check=True, capture_output=True)
    process = subprocess.Popen(
        [find_or_install_node(), "provider.mjs", str(port), portal_url],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    try:
        while "Listening" not in (line := process.stdout.readline()):
            assert line
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.communicate()
