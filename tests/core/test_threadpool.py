"""The thread pool under gevent, with which the portal is served."""

from __future__ import annotations

import subprocess
import sys

import pytest

from twindow.paths import ROOT

PROGRAM = """
from gevent import monkey
monkey.patch_all()
import gevent
from _queue import SimpleQueue  # a real thread waits at it
from twindow.core import threadpool

begun, over = SimpleQueue(), SimpleQueue()

def work():
    begun.put(None)
    over.get(timeout=10)
    return "done"

done = getattr(threadpool, "{name}")(work)
works = [gevent.spawn(done) for _ in range(3)]
while begun.qsize() < {at_once}:
    gevent.sleep(0)  # everybody else goes on
for _ in range(1000):
    gevent.sleep(0)
print(begun.qsize())
for _ in works:
    over.put(None)
gevent.joinall(works, raise_error=True)
print(*(work.value for work in works))
"""


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize(("name", "at_once"), [("in_threadpool", 3), ("in_serial_threadpool", 1)])
def test_work_in_the_thread_pool_does_not_block_greenlets(name: str, at_once: int):
    program = PROGRAM.replace("{name}", name).replace("{at_once}", str(at_once))
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=30
    )

    assert run.stderr == ""
    assert run.stdout.split() == [str(at_once), *["done"] * 3]
