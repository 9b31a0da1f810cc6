"""Which test proves which row of docs/faults.md; `python -m tests.faults.table` fills them in."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "faults.md"
ROW = re.compile(r"^\| ([FR]\d+) \| (.*?) \| (.*?) \| (.*?) \|$", re.MULTILINE)


def proofs() -> dict[str, list[str]]:
    """Return the tests for each row, as `file: names`."""
    found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef):
                for row in _rows(node):
                    found[row][str(path.relative_to(ROOT / "tests"))].append(node.name)
    return {
        row: [f"{file}: {', '.join(names)}" for file, names in files.items()]
        for row, files in found.items()
    }


def filled_in(document: str) -> str:
    """Return the document with the tests in the last column."""
    known = proofs()

    def row(found: re.Match[str]) -> str:
        tests = "<br>".join(known.get(found[1], ())) or "none"
        return f"| {found[1]} | {found[2]} | {found[3]} | {tests} |"

    return ROW.sub(row, document)


def _rows(test: ast.FunctionDef) -> list[str]:
    marks = [
        call
        for decorator in test.decorator_list
        for call in ast.walk(decorator)
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "pytest.mark.fault"
    ]
    rows = {arg.value for mark in marks for arg in mark.args if isinstance(arg, ast.Constant)}
    return sorted(str(row) for row in rows)


if __name__ == "__main__":
    DOCUMENT.write_text(filled_in(DOCUMENT.read_text()))
