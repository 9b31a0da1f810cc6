"""Native threads for long work that would block the gevent event loop."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import ParamSpec, TypeVar

from gevent import get_hub, monkey
from gevent.threadpool import ThreadPool

P = ParamSpec("P")
R = TypeVar("R")


def in_threadpool(work: Callable[P, R]) -> Callable[P, R]:
    """Return a function that runs `work` in a native thread, so that other greenlets continue.

    In a native thread, libraries release the interpreter lock, and Python code is interrupted every
    few milliseconds. In a greenlet, library calls and Python code would block the worker until they
    are done.
    """
    return _run_in_pool(lambda: get_hub().threadpool, work)


def in_serial_threadpool(work: Callable[P, R]) -> Callable[P, R]:
    """Return a function that runs `work` in a native thread, one call at a time.

    For work that may wait: many calls at once would slow down everything else.
    """
    # Created on first use: threads do not survive a fork.
    return _run_in_pool(cache(lambda: ThreadPool(1)), work)


def _run_in_pool(get_pool: Callable[[], ThreadPool], work: Callable[P, R]) -> Callable[P, R]:
    # Without gevent, there are no other greenlets that the work could block.
    if not monkey.is_module_patched("threading"):
        return work

    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        result: R = get_pool().apply(work, args, kwargs)
        return result

    return run
