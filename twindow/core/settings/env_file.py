"""Settings files: the option --env-file of the servers, as in Flask's own commands, and `.env`."""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from twindow.core.settings.environment import ENV_PREFIX, is_from_kubernetes, variable_name
from twindow.core.settings.errors import SettingsError, describe_unknown_setting
from twindow.core.settings.settings import SETTING_NAMES

if TYPE_CHECKING:
    from dotenv.parser import Binding

# The files that Flask reads by default, in the working folder or above it.
DEFAULT_FILES = (".flaskenv", ".env")
NOT_READABLE = "this is not like NAME=value"
# How similar a name is to that of a setting if it is a misspelling of it.
MISSPELLING_RATIO = 0.85


def load_env_file(arguments: Sequence[str]) -> list[str]:
    """Read variables from the file of `--env-file`, and return the other arguments.

    As in Flask's commands, a file `.env` in the working folder is read, too. Variables that are
    already set in the environment take precedence. Raises SettingsError.
    """
    # Imported here: only servers need it, and packages without Flask import the settings.
    from flask.cli import load_dotenv

    path, others = _parse(arguments)
    if path and not path.is_file():
        raise SettingsError(f"--env-file={path} is not a file.")
    check_env_files(arguments)
    load_dotenv(path)
    return others


def check_env_files(arguments: Sequence[str]) -> None:
    """Check each line of the file of `--env-file`, and of the files that are read by default.

    Lines that cannot be read would be skipped. Raises SettingsError.
    """
    from dotenv import find_dotenv

    paths = [find_dotenv(name, usecwd=True) for name in DEFAULT_FILES]
    for path in filter(None, [*map(str, paths), str(_parse(arguments)[0] or "")]):
        _check_file(Path(path))


def _parse(arguments: Sequence[str]) -> tuple[Path | None, list[str]]:
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("-e", "--env-file", type=Path)
    options, others = parser.parse_known_args(arguments)
    return options.env_file, others


def _check_file(path: Path) -> None:
    from dotenv.parser import parse_stream

    try:
        content = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise SettingsError(f"{path}, line {line}: the text is not UTF-8.") from None
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}.") from None
    for binding in parse_stream(StringIO(content)):
        if problem := _problem(binding):
            text = binding.original.string
            blank_lines = text[: len(text) - len(text.lstrip())].count("\n")
            line = binding.original.line + blank_lines
            raise SettingsError(f"{path}, line {line}: {problem.removesuffix('.')}.")


def _problem(binding: Binding) -> str:
    """Return why a line cannot be used, or "". The value may be a secret, so it is left out."""
    name, value = binding.key, binding.value
    if binding.error or (name is not None and value is None):
        return NOT_READABLE
    if name is None or value is None:
        return ""  # a comment or an empty line
    prefix = f"{ENV_PREFIX}_"
    if not name.upper().startswith(prefix):
        variables = map(variable_name, SETTING_NAMES)
        close_matches = difflib.get_close_matches(name.upper(), variables, 1, MISSPELLING_RATIO)
        meant = close_matches[0] if close_matches else ""
        return f"{name} is not a setting of Twindow; did you mean {meant}?" if meant else ""
    setting = name.upper().removeprefix(prefix)
    if setting.lower() not in SETTING_NAMES and not is_from_kubernetes(setting, value):
        return describe_unknown_setting(setting.lower(), SETTING_NAMES)
    return "" if name == name.upper() else f"write {name.upper()} in capitals"
