"""Settings from the environment, and the data folder."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from core.settings.constraints import check_constraints
from core.settings.environment import ENV_PREFIX, read_variables
from core.settings.errors import SettingsError, describe_invalid_value, describe_unknown_setting
from core.settings.settings import Settings


def load_settings(
    overrides: Mapping[str, object] | None = None, *, create_data_dir: bool = True
) -> Settings:
    """Read the settings from the environment, and create the data folder.

    `overrides` maps lower-case names to values that take precedence. Without `create_data_dir`, the
    data folder must exist. Raises SettingsError.
    """
    values: dict[str, object] = {**read_variables()}
    for name in values.keys() - set(Settings.__struct_fields__):
        raise SettingsError(describe_unknown_setting(name, Settings.__struct_fields__))
    values |= overrides or {}
    try:
        settings = msgspec.convert(values, Settings, strict=False, dec_hook=_convert_custom_type)
    except msgspec.ValidationError as error:
        raise SettingsError(describe_invalid_value(str(error), values)) from None
    check_constraints(settings)
    _prepare_data_dir(settings.data_dir, may_create=create_data_dir)
    return settings


def _prepare_data_dir(folder: Path, *, may_create: bool) -> None:
    if not may_create and not folder.is_dir():
        raise SettingsError(
            f"The data folder {folder.resolve()} does not exist. Use the settings of "
            f"the server: --env-file, or {ENV_PREFIX}_DATA_DIR."
        )
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


def _convert_custom_type(kind: type[Any], value: Any) -> Any:
    return kind(value)
