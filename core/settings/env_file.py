"""The option --env-file of the servers, as in Flask's own commands."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from core.settings.errors import SettingsError


def load_env_file(arguments: Sequence[str]) -> list[str]:
    """Read variables from the file of `--env-file`, and return the other arguments.

    As in Flask's commands, a file `.env` in the working folder is read, too. Variables that are
    already set in the environment take precedence. Raises SettingsError.
    """
    # Imported here: only servers need it, and packages without Flask import the settings.
    from flask.cli import load_dotenv

    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--env-file", type=Path)
    options, others = parser.parse_known_args(arguments)
    if options.env_file and not options.env_file.is_file():
        raise SettingsError(f"--env-file={options.env_file} is not a file.")
    load_dotenv(options.env_file)
    return others
