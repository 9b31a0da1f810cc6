"""Build backend that builds nothing: Twindow is an application, which runs from its repository."""

from __future__ import annotations

MESSAGE = "Twindow is an application, not a package: run it with `make run`, as README.md says."


def build_wheel(*_: object) -> str:
    """Exit with `MESSAGE`."""
    raise SystemExit(MESSAGE)


build_editable = build_sdist = build_wheel
