"""What the tests need from Debian's packages, fetched quietly where it is missing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys


def install(package: str) -> bool:
    """Install a package where this can be done, and say whether it was tried."""
    if not (shutil.which("apt-get") and hasattr(os, "geteuid") and os.geteuid() == 0):
        return False
    print(f"{package} is missing and is installed now; this takes a minute.", file=sys.stderr)
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run(["apt-get", "update", "-qq"], check=False, **quiet)
    subprocess.run(
        ["apt-get", "install", "-y", "-qq", "--no-install-recommends", package],
        check=False,
        env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"},
        **quiet,
    )
    return True
