"""`python -m tools.bench` runs all benchmarks except `load`; a name selects one."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable

from tools.bench import load, long_replies, page
from tools.bench.table import Table

BENCHMARKS: dict[str, Callable[[argparse.Namespace], list[Table]]] = {
    "page": lambda options: page.measure(options.deltas),
    "long": lambda _: long_replies.measure(),
    "stages": lambda _: load.measure_stages(),
    "load": lambda options: load.measure(options.replies),
}


def main() -> None:
    """Run the selected benchmarks and print their tables."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench", description=__doc__)
    parser.add_argument("name", nargs="?", default="all", choices=("all", *BENCHMARKS))
    parser.add_argument("--deltas", type=int, default=4_000, help="page: how long a reply")
    parser.add_argument(
        "--replies", type=int, nargs="+", default=tuple(load.ROUNDS), help="load: how many at once"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    load_before = os.getloadavg()[0]
    names = BENCHMARKS.keys() - {"load"} if options.name == "all" else {options.name}
    tables = [table for name in BENCHMARKS if name in names for table in BENCHMARKS[name](options)]
    if options.json:
        rows = {table.title: table.rows for table in tables}
        machine = {"load before": load_before, "cores": os.cpu_count()}
        print(json.dumps(machine | {"tables": rows}))
        return
    for table in tables:
        print(table.to_text())
    print(f"{os.cpu_count()} cores; load before {load_before:.1f}, after {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
