"""Environment variables with the prefix TWINDOW_."""

from __future__ import annotations

import logging
import os
import re

logger = logging.getLogger(__name__)

ENV_PREFIX = "TWINDOW"

# Variables that Kubernetes sets in each pod for a service whose name begins with "twindow".
KUBERNETES_NAME = re.compile(
    r"(\w+_)?(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)"
)
KUBERNETES_ADDRESS = re.compile(r"(tcp|udp|sctp)://")


def variable_name(setting: str) -> str:
    """Return the name of the environment variable of a setting."""
    return f"{ENV_PREFIX}_{setting.upper()}"


def read_variables() -> dict[str, object]:
    """Return the values that are not blank, stripped, by lower-case name without the prefix.

    Variables that Kubernetes has set are left out.
    """
    prefix = f"{ENV_PREFIX}_"
    values = {
        name.removeprefix(prefix): stripped
        for name, value in os.environ.items()
        if name.startswith(prefix) and (stripped := value.strip())
    }
    injected = {name for name, value in values.items() if is_from_kubernetes(name, value)}
    if injected:
        names = ", ".join(prefix + name for name in sorted(injected))
        logger.warning("Ignoring variables of Kubernetes services: %s.", names)
    return {name.lower(): value for name, value in values.items() if name not in injected}


def is_from_kubernetes(name: str, value: str) -> bool:
    """Return whether Kubernetes has set a variable; `name` is without the prefix."""
    is_port = name == "PORT" or name.endswith("_PORT")
    is_address = is_port and KUBERNETES_ADDRESS.match(value)
    return bool(is_address or KUBERNETES_NAME.fullmatch(name))
