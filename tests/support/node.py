"""Node.js for the unit tests of scripts: an installed one, or one installed on demand."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from tests.support.packages import find_or_install, install

INSTALL_HINT = (
    "The tests need Node.js 18 or newer: install it (on Debian: apt-get install nodejs) and run "
    "them again."
)


def find_or_install_node() -> str:
    """Return the path of Node.js; install it if it is missing.

    Raises SystemExit with a hint if it cannot be installed.
    """
    node = find_or_install(lambda: shutil.which("node"), lambda: install("nodejs"))
    if node is None:
        raise SystemExit(INSTALL_HINT)
    return node


def run_node(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run Node.js to its end."""
    command = [find_or_install_node(), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


if __name__ == "__main__":
    print(find_or_install_node())
