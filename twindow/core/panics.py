"""Panics of the Rust libraries, as ordinary exceptions."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class ParserPanicked(Exception):
    """Raised when a Rust library has panicked, which is a fault of the library.

    The exception has no message, because the panic's message may contain text of a conversation.
    """


def panics_as_errors(function: Callable[P, R]) -> Callable[P, R]:
    """Wrap a function so that panics are raised as ParserPanicked.

    `PanicException`, the original class of a panic, is not a subclass of `Exception`.
    """

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except BaseException as error:
            # Each library has its own class, which cannot be imported.
            if type(error).__name__ != "PanicException":
                raise
            raise ParserPanicked from None

    return call
