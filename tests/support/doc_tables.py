"""The numbered rows of tables in docs/, and the tests that are marked with them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import pytest

from twindow.paths import ROOT

CELL = r"((?:[^|\\]|\\.)*?)"
ROW = re.compile(rf"^\| ([A-Z]\d+) \| {CELL} \| (.*?) ?\|$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Row:
    """A table row: its id, its subject, and the promised behaviour (all other cells)."""

    name: str
    subject: str
    promise: str


@dataclass(frozen=True, slots=True)
class Table:
    """The table of a document; a pytest marker assigns tests to its rows."""

    path: Path
    marker: str

    def rows(self) -> Sequence[Row]:
        """Return the rows of the document."""
        return [Row(*cells) for cells in ROW.findall(self.path.read_text())]

    def tests_by_row(self) -> dict[str, list[str]]:
        """Return the node ids of the tests for each row id."""
        tests: dict[str, list[str]] = defaultdict(list)
        for path in sorted((ROOT / "tests").rglob("test_*.py")):
            file = path.relative_to(ROOT)
            module = import_module(".".join(file.with_suffix("").parts))
            for name, test in vars(module).items():
                if name.startswith("test_"):
                    for row in sorted(self._marked_rows(module) | self._marked_rows(test)):
                        tests[row].append(f"{file}::{name}")
        return dict(tests)

    def _marked_rows(self, marked: object) -> set[str]:
        """Return the row ids in the markers of a test or a module."""
        marks: pytest.MarkDecorator | list[pytest.Mark] = getattr(marked, "pytestmark", [])
        return {
            str(row)
            for mark in (marks if isinstance(marks, list) else [marks])
            if mark.name == self.marker
            for row in mark.args
        }


FAULTS = Table(ROOT / "docs" / "faults.md", "fault")
INTERFACE = Table(ROOT / "docs" / "interface.md", "spec")
LIMITS = Table(ROOT / "docs" / "security.md", "limit")
