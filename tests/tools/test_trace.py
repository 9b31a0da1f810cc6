"""Traces of a message and of a delta, compared with the lists in docs/architecture.md."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tools.trace import scenario
from tools.trace.recorder import Call, Recording, Transaction
from tools.trace.report import Counts, count, functions_by_thread, to_text

ROOT = Path(__file__).parents[2]
THREAD = re.compile(r"^\S.*\n(?:  .+\n)+", re.MULTILINE)
FUNCTION = re.compile(r"^  ([\w/]+\.py:[\w.]+)", re.MULTILINE)
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


def documented_functions() -> dict[str, list[str]]:
    """Return the functions that docs/architecture.md lists for each thread."""
    document = (ROOT / "docs" / "architecture.md").read_text()
    section = document.partition("## A message and a delta\n")[2].partition("\n## ")[0]
    return {
        block.partition("\n")[0]: FUNCTION.findall(block)
        for block in THREAD.findall(section)
        if FUNCTION.search(block)
    }


def defined_functions(file: str) -> set[str]:
    def names(node: ast.AST, prefix: str) -> Iterator[str]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.ClassDef):
                yield prefix + child.name
                yield from names(child, f"{prefix}{child.name}.")

    return set(names(ast.parse((ROOT / file).read_text()), ""))


def test_documented_functions_exist():
    functions = [name for names in documented_functions().values() for name in names]

    assert functions
    for file, name in (function.split(":") for function in functions):
        assert name in defined_functions(file), f"{file}: {name}"


def test_documented_functions_run_in_the_documented_order():
    message, delta = scenario.run()

    traced = functions_by_thread(message) | functions_by_thread(delta)
    assert set(documented_functions()) == set(traced)
    for thread, documented in documented_functions().items():
        assert [name for name in traced[thread] if name in documented] == documented


def test_trace_counts_functions_files_transactions_and_calls_between_packages():
    assert count(RECORDING) == Counts(
        functions=6, files=4, crossings=2, web_to_chat=1, reads=1, writes=1
    )


def test_trace_lists_each_caller_and_function_once_per_thread():
    assert functions_by_thread(RECORDING) == {
        "one": ["app.py:start", "blueprints/a.py:show", "chat/b.py:Turns.add", "core/c.py:time"],
        "two": ["chat/b.py:run", "chat/b.py:flush"],
    }
    assert "one: 4 functions in 4 files" in to_text("Title", RECORDING)
