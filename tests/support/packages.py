"""Installation of the Debian packages that the tests need, if they are missing."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
# Debian has servers here, which may not be in the search path of a user.
ADMIN_FOLDERS = "/usr/sbin", "/usr/local/sbin"


def find_or_install(find: Callable[[], T | None], install: Callable[[], object]) -> T | None:
    """Return the result of `find`; if it is None, call `install` and try again.

    A file lock makes other processes wait, because a half-installed package looks complete.
    """
    with Path(tempfile.gettempdir(), f"twindow-{os.geteuid()}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        result = find()
        if result is None:
            install()
            result = find()
    return result


def find_program(program: str, package: str) -> str:
    """Return the path of a program; install its Debian package if it is missing."""
    path = os.pathsep.join((os.environ.get("PATH", ""), *ADMIN_FOLDERS))
    found = find_or_install(lambda: shutil.which(program, path=path), lambda: install(package))
    if found is None:
        raise SystemExit(f"The tests need {program}; on Debian: apt-get install {package}")
    return found


def install(package: str) -> bool:
    """Install a Debian package.

    Returns False if there is no apt-get, if the user is not root, or if the installation fails.
    """
    if not (shutil.which("apt-get") and os.geteuid() == 0):
        return False
    print(f"{package} is missing and is installed now; this takes a minute.", file=sys.stderr)
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run(["apt-get", "update", "-qq"], check=False, **quiet)
    installed = subprocess.run(
        ["apt-get", "install", "-y", "-qq", "--no-install-recommends", package],
        check=False,
        env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"},
        **quiet,
    )
    return installed.returncode == 0
