"""Recording of calls: which of our functions run, in which thread, and who calls them."""

from __future__ import annotations

import contextlib
import re
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Self

from sqlalchemy import Connection, Engine, event

from tests.support.waiting import wait_until

NOT_OURS = {".venv", "tests", "tools"}
# These threads run on a timer, and handle neither messages nor deltas.
TIMER_THREADS = {"process-load", "watchdog"}
QUIET_SECONDS = 0.1
COMPREHENSIONS = {"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"}
_ID = re.compile(r"(?<=[/-])[\w-]{22}(?=/|$)")


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a function, a return from it, or the resumption or yield of a generator.

    Functions are written as `file:function`. `caller` is the nearest of our functions on the stack,
    or None. A return or a yield has no `caller`.
    """

    thread: str
    function: str
    caller: str | None = None


@dataclass(frozen=True, slots=True)
class Transaction:
    """A database transaction."""

    thread: str
    is_write: bool


@dataclass(frozen=True, slots=True)
class Recording:
    """Calls and transactions in chronological order."""

    calls: list[Call] = field(default_factory=list)
    transactions: list[Transaction] = field(default_factory=list)

    def limited_to(self, is_wanted: Callable[[str], bool]) -> Recording:
        """Return only the calls and transactions of the wanted threads."""
        return Recording(
            [call for call in self.calls if is_wanted(call.thread)],
            [one for one in self.transactions if is_wanted(one.thread)],
        )


class Recorder:
    """Context manager that observes the threads that start in its block.

    The thread that drives the portal is not observed. `root` is the folder of our files.
    """

    def __init__(self, root: Path) -> None:
        self._prefix = f"{root}/"
        self._functions: dict[CodeType, str | None] = {}
        self._recording: Recording | None = None
        self._active_at = 0.0

    def __enter__(self) -> Self:
        threading.setprofile(self._profile)
        event.listen(Engine, "begin", self._record_transaction)
        return self

    def __exit__(self, *_: object) -> None:
        event.remove(Engine, "begin", self._record_transaction)
        threading.setprofile(None)

    @contextlib.contextmanager
    def record(self) -> Iterator[Recording]:
        """Record the calls of the block; before and after it, wait until all threads are idle."""
        self.wait_until_quiet()
        recording = self._recording = Recording()
        yield recording
        self.wait_until_quiet()
        self._recording = None

    def wait_until_quiet(self) -> None:
        """Wait until all threads are idle."""
        wait_until(lambda: time.monotonic() - self._active_at > QUIET_SECONDS)

    def _profile(self, frame: FrameType, kind: str, _: Any) -> None:
        if kind not in ("call", "return") or not (function := self._function(frame)):
            return
        thread = _thread_name()
        if thread in TIMER_THREADS:
            return
        self._active_at = time.monotonic()
        if self._recording:
            is_call = kind == "call" and not _ends_with_block(frame)
            caller = self._caller(frame) if is_call else None
            self._recording.calls.append(Call(thread, function, caller))

    def _caller(self, frame: FrameType) -> str | None:
        below = frame.f_back
        while below and not self._function(below):
            below = below.f_back
        return self._function(below) if below else None

    def _function(self, frame: FrameType) -> str | None:
        code = frame.f_code
        if code not in self._functions:
            self._functions[code] = self._function_of_code(code)
        return self._functions[code]

    def _function_of_code(self, code: CodeType) -> str | None:
        file = code.co_filename.removeprefix(self._prefix)
        # Skip compiled templates, which are Python code without a .py file, and imports.
        if file == code.co_filename or not file.endswith(".py") or code.co_name == "<module>":
            return None
        if file.partition("/")[0] in NOT_OURS:
            return None
        names = code.co_qualname.split(".<locals>.")
        while names and names[-1] in COMPREHENSIONS:
            names.pop()
        return f"{file}:{'.'.join(names)}" if names else None

    def _record_transaction(self, connection: Connection) -> None:
        if self._recording:
            is_write = bool(connection.get_execution_options().get("immediate"))
            self._recording.transactions.append(Transaction(_thread_name(), is_write))


def _thread_name() -> str:
    """Return the name of the current thread with placeholders for ids."""
    return _ID.sub("<id>", threading.current_thread().name)


def _ends_with_block(frame: FrameType) -> bool:
    """Return whether a generator-based context manager is resumed at the end of its block."""
    below = frame.f_back
    return bool(
        below
        and below.f_code.co_name == "__exit__"
        and below.f_code.co_filename == contextlib.__file__
    )
