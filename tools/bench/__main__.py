"""`python -m tools.bench` runs all benchmarks; a name selects one."""

from __future__ import annotations

import argparse
import json
import os

from tools.bench import crowd, long_replies, page, timing
from tools.bench.table import Table

CHOICES = ("all", "crowd", "long", "page", "timing")


def main() -> None:
    """Run the selected benchmarks and print their tables."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench", description=__doc__)
    parser.add_argument("what", nargs="?", default="all", choices=CHOICES)
    parser.add_argument("--people", type=int, default=20, help="crowd: how many at once")
    parser.add_argument("--deltas", type=int, default=4_000, help="page: how long a reply")
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args()
    load_before = os.getloadavg()[0]
    tables = measure(arguments)
    if arguments.json:
        rows_by_title = {table.title: table.rows for table in tables}
        print(
            json.dumps(
                {"load before": load_before, "cores": os.cpu_count(), "tables": rows_by_title}
            )
        )
        return
    for table in tables:
        print(table.to_text())
    print(f"{os.cpu_count()} cores; load before {load_before:.1f}, after {os.getloadavg()[0]:.1f}")


def measure(arguments: argparse.Namespace) -> list[Table]:
    """Run the selected benchmarks and return their tables."""
    tables = page.measure(arguments.deltas) if arguments.what in ("all", "page") else []
    if arguments.what in ("all", "long"):
        tables += long_replies.measure()
    if arguments.what in ("all", "timing"):
        tables.append(Table("What exists and what does not", timing.measure()))
    if arguments.what in ("all", "crowd"):
        tables.append(
            Table("Many people before the bundled model", [crowd.measure(arguments.people)])
        )
    return tables


if __name__ == "__main__":
    main()
