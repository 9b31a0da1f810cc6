"""The version of Twindow."""

from __future__ import annotations

import tomllib
from pathlib import Path

PROJECT_FILE = Path(__file__).parents[1] / "pyproject.toml"


def read_version() -> str:
    """Return the version in pyproject.toml."""
    return str(tomllib.loads(PROJECT_FILE.read_text())["project"]["version"])
