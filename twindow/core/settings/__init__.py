"""Settings: defaults, overridden by environment variables with the prefix TWINDOW_."""

from __future__ import annotations

from twindow.core.settings.constraints import check_constraints
from twindow.core.settings.env_file import check_env_files, load_env_file
from twindow.core.settings.environment import ENV_PREFIX
from twindow.core.settings.errors import SettingsError
from twindow.core.settings.loader import load_settings, prepare_data_dir, read_settings
from twindow.core.settings.rate_limits import LimitPeriod, LimitScope, MessageLimits
from twindow.core.settings.settings import Settings
from twindow.core.settings.sign_in_modes import SignInModes

__all__ = [
    "ENV_PREFIX",
    "LimitPeriod",
    "LimitScope",
    "MessageLimits",
    "Settings",
    "SettingsError",
    "SignInModes",
    "check_constraints",
    "check_env_files",
    "load_env_file",
    "load_settings",
    "prepare_data_dir",
    "read_settings",
]
