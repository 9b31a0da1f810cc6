"""The version of Twindow."""

from __future__ import annotations

import tomllib

from twindow.paths import PROJECT_FILE


def read_version() -> str:
    """Return the version in pyproject.toml."""
    return str(tomllib.loads(PROJECT_FILE.read_text())["project"]["version"])
