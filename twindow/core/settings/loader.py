"""Settings from the environment, and the data folder."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from twindow.core.settings.constraints import check_constraints
from twindow.core.settings.environment import ENV_PREFIX, read_variables, variable_name
from twindow.core.settings.errors import (
    SettingsError,
    describe_invalid_value,
    describe_unknown_setting,
)
from twindow.core.settings.settings import SECRETS, SETTING_NAMES, Settings


def load_settings(
    overrides: Mapping[str, object] | None = None, *, create_data_dir: bool = True
) -> Settings:
    """Read the settings from the environment, and create the data folder.

    `overrides` maps lower-case names to values that take precedence. Without `create_data_dir`, the
    data folder must be that of a server, and is not changed. Raises SettingsError.
    """
    settings = read_settings(overrides)
    if create_data_dir:
        prepare_data_dir(settings.data_dir)
    else:
        _require_data_of_server(settings)
    _choose_temporary_folder(settings.data_dir)
    return settings


def read_settings(overrides: Mapping[str, object] | None = None) -> Settings:
    """Read the settings as `load_settings` does, whether or not there is a data folder.

    Raises SettingsError.
    """
    _check_environment()
    values: dict[str, object] = {**read_variables()}
    for name in values.keys() - set(SETTING_NAMES):
        raise SettingsError(describe_unknown_setting(name, SETTING_NAMES))
    _read_secret_files(values)
    values |= overrides or {}
    try:
        settings = msgspec.convert(
            values, Settings, strict=False, dec_hook=lambda kind, value: kind(value)
        )
    except msgspec.ValidationError as error:
        raise SettingsError(describe_invalid_value(str(error), values)) from None
    check_constraints(settings)
    return settings


def _read_secret_files(values: dict[str, object]) -> None:
    """Replace each name of a file by the secret in the file. Raises SettingsError."""
    for name in SECRETS:
        path = values.pop(f"{name}_file", None)
        if path is None:
            continue
        variable = variable_name(f"{name}_file")
        if name in values:
            raise SettingsError(f"{variable} and {variable_name(name)} are both set: remove one.")
        try:
            secret = Path(str(path)).read_text(encoding="utf-8").strip()
        except OSError as error:
            raise SettingsError(f"{variable}={path} cannot be read: {error.strerror}.") from None
        except UnicodeDecodeError:
            raise SettingsError(f"{variable}={path} cannot be used: it is not UTF-8.") from None
        if not secret:
            raise SettingsError(f"{variable}={path} is empty.")
        values[name] = secret


def _check_environment() -> None:
    """Raise SettingsError for a variable that would be ignored, or whose value is not text."""
    for name, value in os.environ.items():
        capitals = name.upper()
        if not capitals.startswith(f"{ENV_PREFIX}_"):
            continue
        if name != capitals:
            raise SettingsError(f"The variable {name} must be written in capitals: {capitals}.")
        try:
            value.encode()
        except UnicodeEncodeError:
            raise SettingsError(f"{name} cannot be used: the text is not UTF-8.") from None


def _require_data_of_server(settings: Settings) -> None:
    """Raise SettingsError unless a server has created the folder, its secrets and databases."""
    folder = settings.data_dir.resolve()
    needs_jwt_secret = settings.is_embedded and not (settings.jwt_secret or settings.jwt_jwks_url)
    missing = [
        name
        for name, is_needed in (
            ("secret_key", not settings.secret_key),
            ("jwt_secret", needs_jwt_secret),
            ("*.db", not settings.database_url),
        )
        if is_needed and not any(folder.glob(name))
    ]
    if not folder.is_dir() or missing:
        reason = f"has no file {missing[0]}" if folder.is_dir() else "does not exist"
        raise SettingsError(
            f"The data folder {folder} {reason}. Start the server first, or use its settings: "
            f"--env-file, or {ENV_PREFIX}_DATA_DIR."
        )


def prepare_data_dir(folder: Path) -> None:
    """Create the data folder, or make it private. Raises SettingsError."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(
            f"{ENV_PREFIX}_DATA_DIR={folder} cannot be used: {error.strerror}."
        ) from None
    with suppress(OSError):  # the volume may belong to another account
        folder.chmod(0o700)
        # The folder holds secrets, and may be inside a Git working tree.
        (folder / ".gitignore").write_text("*\n")


def _choose_temporary_folder(data_dir: Path) -> None:
    """Use the data folder for temporary files if no other folder is writable."""
    try:
        tempfile.gettempdir()
    except FileNotFoundError:
        tempfile.tempdir = str(data_dir.resolve())
