"""The tests that verify each row of docs/faults.md and docs/interface.md.

`python -m tests.support.doc_tables` writes their names into the documents.
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
    """A table row: its id, its subject, the promised behaviour, and the tests that verify it."""

    name: str
    subject: str
    promise: str
    tests: str


@dataclass(frozen=True, slots=True)
class Table:
    """The table of a document; a pytest marker assigns tests to its rows."""

    marker: str
    path: Path

    def rows(self) -> Sequence[Row]:
        """Return the rows as they are in the document."""
        return [Row(*cells) for cells in ROW.findall(self.path.read_text())]

    def tests_by_row(self) -> dict[str, list[str]]:
        """Return the tests for each row id, as `file: names`."""
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
        """Return the text of the document with the tests in the last column."""
        tests_by_row = self.tests_by_row()

        def row(found: re.Match[str]) -> str:
            tests = "<br>".join(tests_by_row.get(found[1], ())) or "none"
            return f"| {found[1]} | {found[2]} | {found[3]} | {tests} |"

        return ROW.sub(row, self.path.read_text())

    def _rows_of(self, test: object) -> list[str]:
        """Return the row ids in the markers of a test and of its parameters."""
        marks: list[pytest.Mark] = list(getattr(test, "pytestmark", ()))
        for parameters in [mark.args[1] for mark in marks if mark.name == "parametrize"]:
            marks += [mark for one in parameters for mark in getattr(one, "marks", ())]
        return sorted({str(row) for mark in marks if mark.name == self.marker for row in mark.args})


FAULTS = Table("fault", ROOT / "docs" / "faults.md")
INTERFACE = Table("spec", ROOT / "docs" / "interface.md")


if __name__ == "__main__":
    for table in (FAULTS, INTERFACE):
        table.path.write_text(table.render())
