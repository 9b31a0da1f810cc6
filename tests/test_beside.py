"""Long work goes on beside everything else, under gevent as the portal is served."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.running import ROOT

PROGRAM = """
from gevent import monkey
monkey.patch_all()
import gevent
from _queue import SimpleQueue  # a real thread waits at it
import beside

begun, over = SimpleQueue(), SimpleQueue()
running = most = 0

def work():
    global running, most
    running += 1
    most = max(most, running)
    begun.put(None)
    over.get(timeout=10)
    running -= 1
    return "done"

done = getattr(beside, "{name}")(work)
works = [gevent.spawn(done) for _ in range(3)]
while begun.empty():
    gevent.sleep(0)
for _ in range(100):
    gevent.sleep(0)  # everybody else goes on
for _ in works:
    over.put(None)
gevent.joinall(works, raise_error=True)
print(most, *(work.value for work in works))
"""


@pytest.mark.parametrize(("name", "most"), [("beside", {"2", "3"}), ("beside_in_turn", {"1"})])
def test_others_go_on_meanwhile(name: str, most: set[str]):
    program = PROGRAM.replace("{name}", name)
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=30
    )

    assert run.stderr == ""
    at_once, *values = run.stdout.split()
    assert values == ["done"] * 3
    assert at_once in most
