"""The file of `person add --from`: people with their groups, as comma-separated values."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import click

from accounts import NewPerson
from core.text_files import NotUtf8, decode_text
from core.twin_groups import parse_groups

COLUMNS = ("name", "groups")


@dataclass(frozen=True, slots=True)
class Line:
    """A person, and the number of their line in the file."""

    number: int
    person: NewPerson


def read_people(file: Path) -> list[Line]:
    """Read the people in a file. Raises ClickException with the number of the first wrong line."""
    try:
        text = decode_text(file.read_bytes())
    except NotUtf8 as error:
        raise _wrong_line(file, error.line, "The text is not UTF-8.") from None
    # Spreadsheet programs write semicolons where the comma is the decimal separator.
    header = text.partition("\n")[0]
    delimiter = ";" if ";" in header else ","
    rows = csv.DictReader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
    lines: list[Line] = []
    try:
        rows.fieldnames = _read_columns(rows.fieldnames or ())
        lines.extend(Line(rows.line_num, _read_person(row)) for row in rows)
    except (ValueError, csv.Error) as error:
        reason = str(error).rstrip(".")
        raise _wrong_line(file, rows.reader.line_num or 1, f"{reason}.") from None
    if not lines:
        raise click.ClickException(f"{file} lists nobody.")
    return lines


def _read_columns(names: Sequence[str]) -> Sequence[str]:
    """Return the names of the columns. Raises ValueError."""
    columns = [name.strip().lower() for name in names]
    if "name" not in columns or not set(columns) <= set(COLUMNS):
        raise ValueError("The first line has to name the columns: name and groups")
    return columns


def _read_person(row: dict[str, str | None]) -> NewPerson:
    """Return the person in a row. Raises ValueError."""
    if None in row:  # csv collects the values without a column here
        raise ValueError("The line has more values than the header")
    groups = parse_groups((row.get("groups") or "").replace(";", ","))
    return NewPerson(row.get("name") or "", groups)


def _wrong_line(file: Path, number: int, reason: str) -> click.ClickException:
    return click.ClickException(f"{file}, line {number}: {reason}")
