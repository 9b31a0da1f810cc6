"""Node.js for the unit tests of scripts: an installed one, or one installed on demand."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.support.packages import find_program


def find_or_install_node() -> str:
    """Return the path of Node.js, 18 or newer; install it if it is missing."""
    return find_program("node", "nodejs")


def run_node(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run Node.js to its end."""
    command = [find_or_install_node(), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


if __name__ == "__main__":
    print(find_or_install_node())
