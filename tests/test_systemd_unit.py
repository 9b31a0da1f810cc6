"""The unit docs/twindow.service, run by a real systemd.

systemd is the first process of namespaces of its own, in which /opt, /var/lib, /etc, /home and /tmp
are those of the test. It knows no units but those of the test.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from tests.support.forbidden_acts import ACTS
from tests.support.packages import find_program
from tests.support.person import Person, wait_for_reply
from tests.support.processes import free_port
from tests.support.waiting import poll_until, responds
from twindow.paths import ROOT

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.usefixtures("processes"),
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can start systemd"),
    pytest.mark.timeout(120),
]
UNIT = (ROOT / "docs" / "twindow.service").read_text()
START_SECONDS = 30
# What only the tests need: a log, and the Python of the tests.
ADDED = """[Service]
StandardOutput=append:/mnt/test/output.log
Environment=LD_LIBRARY_PATH=/opt/python/lib TWINDOW_DATA_DIR=/var/lib/twindow
"""
ENVIRONMENT = "TWINDOW_DATA_DIR=/var/lib/twindow\n"
EXEC_START = "ExecStart=/opt/twindow/.venv/bin/python app.py --env-file /etc/twindow.env"
ACTS_START = (
    "ExecStart=/opt/twindow/.venv/bin/python -m tests.support.forbidden_acts /var/lib/twindow/done"
)
# The Python of the tests may be in a folder that the unit hides.
BOOT = """
mount --make-rprivate /
mount -t proc proc /proc
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mount -t tmpfs tmpfs /mnt
for folder in test program python venv; do
    mkdir "/mnt/$folder"
    mount --bind "$1" "/mnt/$folder"
    shift
done
cd /mnt/test
mkdir etc etc.work program program.work venv venv.work state
mount -t overlay overlay -o lowerdir=/etc,upperdir=etc,workdir=etc.work /etc
for folder in /run /home /opt /tmp /dev/shm; do mount -t tmpfs tmpfs $folder; done
mount --bind state /var/lib
mkdir /opt/twindow /opt/python
mount -t overlay overlay -o lowerdir=/mnt/program,upperdir=program,workdir=program.work /opt/twindow
mount --bind /mnt/python /opt/python
mount -t overlay overlay -o lowerdir=/mnt/venv,upperdir=venv,workdir=venv.work /opt/twindow/.venv
python=$(basename "$(readlink -f /mnt/venv/bin/python)")
ln -sfn "/opt/python/bin/$python" /opt/twindow/.venv/bin/python
sed -i 's|^home = .*|home = /opt/python/bin|' /opt/twindow/.venv/pyvenv.cfg
echo twindow:x:977:977::/var/lib/twindow:/usr/sbin/nologin >> /etc/passwd
echo twindow:x:977: >> /etc/group
cp twindow.env /etc/twindow.env
touch /tmp/of-others
exec env container=test SYSTEMD_UNIT_PATH=/mnt/test/units \
    "$1" --system --unit=twindow.service --log-target=console --show-status=no
"""


@contextmanager
def run_systemd(folder: Path, unit: str) -> Iterator[None]:
    """Run a systemd with this unit, in namespaces of its own."""
    (folder / "units/twindow.service.d").mkdir(parents=True)
    (folder / "units/twindow.service").write_text(unit)
    (folder / "units/twindow.service.d/output.conf").write_text(ADDED)
    for name in ("sysinit", "basic", "shutdown"):
        (folder / f"units/{name}.target").write_text("[Unit]\nDefaultDependencies=no\n")
    systemd = find_program("systemd", "systemd")
    mounts = (line.split() for line in Path("/proc/mounts").read_text().splitlines())
    cgroups = next(Path(folder) for _, folder, kind, *_ in mounts if kind == "cgroup2")
    group = cgroups / f"twindow-test-{os.getpid()}"
    group.mkdir()
    # A cgroup namespace begins with the group of the process that makes it.
    start = (
        'echo $$ > "$1/cgroup.procs"; shift; exec unshare --pid --fork --kill-child --mount "$@"'
    )
    namespaces = ("--ipc", "--uts", "--cgroup", "sh", "-ec", BOOT, "sh")
    folders = (folder, ROOT, sys.base_prefix, sys.prefix)
    command = ["sh", "-ec", start, "sh", group, *namespaces, *folders, systemd]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.kill()
        process.wait()
        for child in (*sorted(group.rglob("*/"), reverse=True), group):
            assert poll_until(partial(_remove, child), START_SECONDS)


def _remove(group: Path) -> bool:
    try:
        group.rmdir()
    except OSError:
        return False
    return True


def test_server_runs_in_the_unit_also_with_the_demo_model(demo_model: None, tmp_path: Path):
    port = free_port()
    (tmp_path / "twindow.env").write_text(f"{ENVIRONMENT}TWINDOW_PORT={port}\n")

    with run_systemd(tmp_path, UNIT):
        assert poll_until(lambda: responds(f"http://127.0.0.1:{port}/readyz"), START_SECONDS), (
            tmp_path / "output.log"
        ).read_text()
        person = Person(f"http://127.0.0.1:{port}")
        for twin in ("ada", "fable"):
            page = person.start_conversation("How does a candle burn?", twin=twin)
            assert wait_for_reply(person, page).reply_states == ["complete"]
        person.close()


# Lines that are left out, and what is possible then. Without its user, the unit is all that stops
# root; without anything, root can do all of it.
UNITS = {
    "whole": ((), []),
    "without its user": (("User=",), ["see other programs"]),
    "without protection": (
        (
            *("User=", "Capability", "Lock", "Memory", "NoNew", "Private", "Protect", "Restrict"),
            *("SystemCall", "UMask"),
        ),
        list(ACTS),
    ),
}


@pytest.mark.parametrize("name", UNITS)
def test_unit_refuses_what_a_server_need_not_do(name: str, tmp_path: Path):
    (tmp_path / "twindow.env").write_text(ENVIRONMENT)
    left_out, done = UNITS[name]
    lines = [line for line in UNIT.splitlines() if not line.startswith(left_out)]
    unit = "\n".join(lines).replace(EXEC_START, ACTS_START)
    assert ACTS_START in unit

    with run_systemd(tmp_path, unit):
        report = tmp_path / "state/twindow/done"
        assert poll_until(lambda: report.exists() and report.read_text(), START_SECONDS), (
            tmp_path / "output.log"
        ).read_text()

    assert json.loads(report.read_text()) == done
