"""Error messages for unusable settings."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Mapping

from twindow.core.settings.environment import variable_name

REASON_REPLACEMENTS = (
    (r"Expected int, got str", "it should be a whole number"),
    (r"Expected float, got str", "it should be a number"),
    (r"Expected bool, got str", "it should be true or false"),
    (r"Expected (int|float|str)\b ?", "it should be "),
    (r"<= ", "at most "),
    (r">= ", "at least "),
    (r"< ", "below "),
    (r"> ", "above "),
    (r"matching regex .*A-Za-z.*", "the name of a header: letters, digits and hyphens"),
    (r"matching regex .*!-~.*", "a key: letters, digits and punctuation, without blanks"),
    (r"matching regex .*", "an address that begins with http:// or https://, without blanks and #"),
)


class SettingsError(Exception):
    """Raised for an unusable setting; the message for the operator names the setting."""


def describe_unknown_setting(name: str, known_names: Collection[str]) -> str:
    """Return the message for a variable that is no setting, with the most similar setting."""
    sentence = f"{variable_name(name)} is not a setting of Twindow"
    close_matches = difflib.get_close_matches(name, known_names, 1)
    return (
        f"{sentence}; did you mean {variable_name(close_matches[0])}?"
        if close_matches
        else f"{sentence}."
    )


def describe_invalid_value(message: str, values: Mapping[str, object]) -> str:
    """Return the message for a value of the wrong type; `message` is the error of msgspec."""
    match = re.search(r"`?\$\.(\w+)", message)
    name = match[1] if match else ""
    reason = message.split(" - at ")[0].replace("`", "")
    for pattern, replacement in REASON_REPLACEMENTS:
        reason = re.sub(pattern, replacement, reason)
    is_secret = name.endswith("_key") or name == "outbound_proxy"
    value = "" if is_secret else f"={values.get(name)!s}"
    return f"{variable_name(name)}{value} cannot be used: {reason}."
