"""The validator's findings in plain words."""

import re

import msgspec


def plain(error: msgspec.ValidationError) -> tuple[str, str]:
    """Return the field at fault, and why."""
    reason, _, place = str(error).partition(" - at ")
    found = re.search(r"\$\.(\w+)", place) or re.search(r"field `(\w+)`", reason)
    return (found[1] if found else ""), (
        "Must not hold NUL" if "x00" in reason else reason.replace("`", "'")
    )
