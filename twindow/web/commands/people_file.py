"""Files of comma-separated values: people to add, and people to merge."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

import click

from twindow.accounts import NewPerson
from twindow.core.text_files import NotUtf8, decode_text
from twindow.core.twin_groups import parse_groups

PERSON_COLUMNS = ("name", "groups")
MERGE_COLUMNS = ("name", "into")


def read_people(file: Path) -> list[tuple[int, NewPerson]]:
    """Read the people in a file, with the numbers of their lines.

    Raises ClickException with the number of the first wrong line.
    """
    people = []
    for number, row in _read_rows(file, PERSON_COLUMNS, required=1):
        try:
            groups = parse_groups(row.get("groups", "").replace(";", ","))
        except ValueError as error:
            raise _wrong_line(file, number, str(error)) from None
        people.append((number, NewPerson(row["name"], groups)))
    return people


def read_pairs(file: Path) -> list[tuple[str, str]]:
    """Read the names of people and of those into whom they are merged. Raises ClickException."""
    return [(row["name"], row["into"]) for _, row in _read_rows(file, MERGE_COLUMNS, required=2)]


def _read_rows(
    file: Path, columns: Sequence[str], *, required: int
) -> list[tuple[int, dict[str, str]]]:
    """Return the number and the values of each line. The first `required` columns must exist."""
    try:
        text = decode_text(file.read_bytes())
    except NotUtf8 as error:
        raise _wrong_line(file, error.line, "The text is not UTF-8") from None
    # Spreadsheet programs write semicolons where the comma is the decimal separator.
    delimiter = ";" if ";" in text.partition("\n")[0] else ","
    reader = csv.DictReader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        reader.fieldnames = _read_header(reader.fieldnames or (), columns, required)
        rows = [(reader.line_num, _read_values(row, columns[:required])) for row in reader]
    except (ValueError, csv.Error) as error:
        raise _wrong_line(file, reader.reader.line_num or 1, str(error)) from None
    if not rows:
        raise click.ClickException(f"{file} lists nobody.")
    return rows


def _read_header(names: Sequence[str], columns: Sequence[str], required: int) -> list[str]:
    """Return the names of the columns. Raises ValueError."""
    found = [name.strip().lower() for name in names]
    if not set(columns[:required]) <= set(found) <= set(columns):
        raise ValueError(f"The first line has to name the columns: {' and '.join(columns)}")
    return found


def _read_values(row: dict[str, str | None], required: Sequence[str]) -> dict[str, str]:
    """Return the values of a line by column. Raises ValueError."""
    if None in row:  # csv collects the values without a column here
        raise ValueError("The line has more values than the header")
    values = {name: (value or "").strip() for name, value in row.items()}
    if missing := [name for name in required if not values[name]]:
        raise ValueError(f"The line has no {missing[0]}")
    return values


def _wrong_line(file: Path, number: int, reason: str) -> click.ClickException:
    return click.ClickException(f"{file}, line {number}: {reason.rstrip('.')}.")
