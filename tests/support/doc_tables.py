"""The tests for each row of docs/faults.md and docs/interface.md.

`python -m tests.support.doc_tables` writes them into the documents.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"^\| ([A-Z]\d+) \| (.*?) \| (.*?) ?\| (.*?) ?\|$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Row:
    """A row: what it is called, what it is about, what is promised, and the tests that hold it."""

    name: str
    subject: str
    promise: str
    tests: str


@dataclass(frozen=True, slots=True)
class Table:
    """The table of a document; tests name its rows by a mark."""

    marker: str
    path: Path

    def rows(self) -> Sequence[Row]:
        """Return the rows as they stand there."""
        return [Row(*cells) for cells in ROW.findall(self.path.read_text())]

    def tests_by_row(self) -> dict[str, list[str]]:
        """Return the tests for each row, as `file: names`."""
        tests_by_file: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        for path in sorted((ROOT / "tests").rglob("test_*.py")):
            module = import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
            for name, test in vars(module).items():
                for row in self._rows_of(test) if name.startswith("test_") else ():
                    tests_by_file[row][str(path.relative_to(ROOT / "tests"))].append(name)
        return {
            row: [f"{file}: {', '.join(names)}" for file, names in files.items()]
            for row, files in tests_by_file.items()
        }

    def render(self) -> str:
        """Return the document with the tests in the last column."""
        tests_by_row = self.tests_by_row()

        def row(found: re.Match[str]) -> str:
            tests = "<br>".join(tests_by_row.get(found[1], ())) or "none"
            return f"| {found[1]} | {found[2]} | {found[3]} | {tests} |"

        return ROW.sub(row, self.path.read_text())

    def _rows_of(self, test: object) -> list[str]:
        """Return the rows that a test names, or one of its parameters."""
        marks: list[pytest.Mark] = list(getattr(test, "pytestmark", ()))
        for parameters in [mark.args[1] for mark in marks if mark.name == "parametrize"]:
            marks += [mark for one in parameters for mark in getattr(one, "marks", ())]
        return sorted({str(row) for mark in marks if mark.name == self.marker for row in mark.args})


FAULTS = Table("fault", ROOT / "docs" / "faults.md")
INTERFACE = Table("spec", ROOT / "docs" / "interface.md")


if __name__ == "__main__":
    for table in (FAULTS, INTERFACE):
        table.path.write_text(table.render())
