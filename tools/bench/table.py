"""Plain-text tables of measurements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Row = dict[str, Any]


@dataclass(frozen=True)
class Table:
    """Rows with a title; a missing cell is shown as a dash."""

    title: str
    rows: list[Row]

    def to_text(self) -> str:
        """Return the table as text with aligned columns, names left and numbers right."""
        columns = list(dict.fromkeys(name for row in self.rows for name in row))
        lines = [columns, *([_format_cell(row.get(name)) for name in columns] for row in self.rows)]
        widths = [max(len(line[index]) for line in lines) for index in range(len(columns))]
        is_text_column = [isinstance(self.rows[0].get(name), str) for name in columns]
        text_lines = [
            "  ".join(
                cell.ljust(width) if is_text else cell.rjust(width)
                for cell, width, is_text in zip(line, widths, is_text_column, strict=True)
            ).rstrip()
            for line in lines
        ]
        return "\n".join([self.title, *text_lines, ""])


def ratio(value: float, reference: float) -> float | None:
    """Return value / reference, or None if the reference is 0."""
    return round(value / reference, 2) if reference else None


def _format_cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.2f}" if abs(value) < 100 else f"{value:.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
