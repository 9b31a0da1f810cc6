"""Settings: defaults, overridden by environment variables with the prefix TWINDOW_."""

from __future__ import annotations

from core.settings.constraints import check_constraints
from core.settings.env_file import check_env_files, load_env_file
from core.settings.environment import ENV_PREFIX
from core.settings.errors import SettingsError
from core.settings.loader import load_settings, prepare_data_dir, read_settings
from core.settings.rate_limits import LimitPeriod, LimitScope, MessageLimits
from core.settings.settings import ROOT, Settings
from core.settings.sign_in_modes import SignInModes

__all__ = [
    "ENV_PREFIX",
    "ROOT",
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
