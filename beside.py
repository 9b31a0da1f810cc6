"""Long work in a thread of its own, where everything else runs in one."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from gevent import get_hub, monkey

P = ParamSpec("P")
R = TypeVar("R")


def beside(work: Callable[P, R]) -> Callable[P, R]:
    """Do work in a real thread, so that everybody else goes on meanwhile.

    The libraries that do it let go of the interpreter; in a greenlet they would hold up the worker.
    Where gevent serves nothing, there is nobody else, and it stays as it is.
    """
    if not monkey.is_module_patched("threading"):
        return work

    def done_beside(*args: P.args, **kwargs: P.kwargs) -> R:
        done: R = get_hub().threadpool.apply(work, args, kwargs)
        return done

    return done_beside
