"""Traces: what they count and list."""

from __future__ import annotations

from tools.trace.recorder import Call, Recording, Transaction
from tools.trace.report import Counts, count, functions_by_thread, to_text

RECORDING = Recording(
    [
        Call("one", "blueprints/a.py:show", "app.py:start"),
        Call("one", "chat/b.py:Turns.add", "blueprints/a.py:show"),
        Call("one", "core/c.py:time", "chat/b.py:Turns.add"),
        Call("one", "chat/b.py:Turns.add"),
        Call("two", "chat/b.py:flush", "chat/b.py:run"),
    ],
    [Transaction("one", is_write=False), Transaction("two", is_write=True)],
)


def test_trace_counts_functions_files_calls_between_packages_and_transactions():
    assert count(RECORDING) == Counts(
        functions=6, files=4, crossings=2, web_to_chat=1, reads=1, writes=1
    )


def test_trace_lists_callers_and_functions_of_each_thread_once():
    assert functions_by_thread(RECORDING) == {
        "one": ["app.py:start", "blueprints/a.py:show", "chat/b.py:Turns.add", "core/c.py:time"],
        "two": ["chat/b.py:run", "chat/b.py:flush"],
    }
    assert "one: 4 functions in 4 files" in to_text("Title", RECORDING)
