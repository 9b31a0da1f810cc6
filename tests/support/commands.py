"""Commands of `flask`, run in this process."""

from __future__ import annotations

import flask.cli
from click.testing import CliRunner, Result


def run_flask(*arguments: str, **variables: object) -> Result:
    """Run a command with these settings as environment variables with the prefix TWINDOW_."""
    environment = {f"TWINDOW_{name}": str(value) for name, value in variables.items()}
    return CliRunner().invoke(flask.cli.cli, arguments, env=environment)
