"""Program that tries what a confined server must not do, and prints what it could do as JSON."""

from __future__ import annotations

import ctypes
import json
import mmap
import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path

CLONE_NEWUSER = 0x10000000


def see_other_programs() -> None:
    Path("/proc/1").stat()


def make_memory_executable() -> None:
    mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)


def make_a_program_of_this_user() -> None:
    program = Path(os.environ["TWINDOW_DATA_DIR"], "program")
    program.touch()
    program.chmod(0o4755)


def raise_the_priority() -> None:
    os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))


def call(name: str, *arguments: object) -> None:
    """Call a function of libc; raise OSError if it fails."""
    if getattr(ctypes.CDLL(None, use_errno=True), name)(*arguments):
        raise OSError(ctypes.get_errno(), name)


ACTS: dict[str, Callable[[], object]] = {
    "write to /etc": lambda: Path("/etc/act").touch(),
    "write to the program": lambda: Path("/opt/twindow/act").touch(),
    "read /home": lambda: list(Path("/home").iterdir()),
    "read /tmp of others": lambda: Path("/tmp/of-others").read_bytes(),  # noqa: S108
    "open a raw socket": lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1).close(),
    "open a packet socket": lambda: socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM).close(),
    "open a netlink socket": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW).close(),
    "see other programs": see_other_programs,
    "change the kernel": lambda: Path("/proc/sys/kernel/domainname").write_text("act"),
    "read the log of the kernel": lambda: Path("/dev/kmsg").open("rb").close(),
    "mount": lambda: call("mount", b"none", b"/srv", b"tmpfs", 0, None),
    "make memory executable": make_memory_executable,
    "make a program that runs as this user": make_a_program_of_this_user,
    "raise the priority": raise_the_priority,
    "become root": lambda: call("setresuid", 0, 0, 0),
    # The last one: root has fewer rights in a namespace.
    "make a namespace": lambda: call("unshare", CLONE_NEWUSER),
}


def main() -> None:
    """Try each act, and write the names of those that succeeded to the file in the arguments."""
    done = []
    for name, act in ACTS.items():
        try:
            act()
            done.append(name)
        except OSError as error:
            print(name, error)
    Path(sys.argv[1]).write_text(json.dumps(done))


if __name__ == "__main__":
    main()
