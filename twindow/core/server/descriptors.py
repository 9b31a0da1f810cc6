"""The limit of open files (descriptors) of this process."""

from __future__ import annotations

import resource
from contextlib import suppress

# Number of connections that one worker can serve.
MAX_CONNECTIONS = 20_000
# Number of descriptors to use if the system sets no limit.
UNLIMITED = 65_536


def raise_descriptor_limit() -> None:
    """Raise the soft limit, often 1,024, to the hard limit."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    soft = UNLIMITED if hard == resource.RLIM_INFINITY else hard
    with suppress(ValueError, OSError):  # macOS has a lower limit than it reports
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def max_connections() -> int:
    """Return the maximum number of connections, at most `MAX_CONNECTIONS`.

    It leaves two thirds of the descriptors free: each reply needs another one, for the connection
    to the service, and a reply continues without its reader.
    """
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    descriptors = UNLIMITED if soft == resource.RLIM_INFINITY else soft
    return min(MAX_CONNECTIONS, descriptors // 3)
