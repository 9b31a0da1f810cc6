"""Long work in a thread of its own, where everything else runs in one."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import ParamSpec, TypeVar

from gevent import get_hub, monkey
from gevent.threadpool import ThreadPool

P = ParamSpec("P")
R = TypeVar("R")


def in_threadpool(work: Callable[P, R]) -> Callable[P, R]:
    """Do work in a real thread, so that everybody else goes on meanwhile.

    Libraries let go of the interpreter, and Python itself hands it over every few milliseconds; in
    a greenlet either would hold up the worker until it is done.
    """
    return _run_in_pool(lambda: get_hub().threadpool, work)


def in_serial_threadpool(work: Callable[P, R]) -> Callable[P, R]:
    """Do work so, but one after another: it may wait, and many at once would slow all others."""
    # Not before it is needed: threads do not come along into a new process.
    return _run_in_pool(cache(lambda: ThreadPool(1)), work)


def _run_in_pool(get_pool: Callable[[], ThreadPool], work: Callable[P, R]) -> Callable[P, R]:
    # Where gevent serves nothing, there is nobody else.
    if not monkey.is_module_patched("threading"):
        return work

    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        result: R = get_pool().apply(work, args, kwargs)
        return result

    return run
