"""`python -m tools.bench` measures all; with a name, one thing."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from tools.bench import crowd, page
from tools.bench.table import Table


def main() -> None:
    """Measure, and print what was found."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench", description=__doc__)
    parser.add_argument("what", nargs="?", default="all", choices=("all", "crowd", "page", "peers"))
    parser.add_argument("--people", type=int, default=20, help="crowd: how many at once")
    parser.add_argument("--deltas", type=int, default=4_000, help="page, peers: how long a reply")
    parser.add_argument("--venv", type=Path, help="peers: where they are installed, or will be")
    parser.add_argument("--shots", type=Path, help="peers: where their screenshots go")
    parser.add_argument("--json", action="store_true", help="print JSON")
    given = parser.parse_args()
    if given.what == "peers" and not given.venv:
        parser.error("peers needs --venv: a folder of its own that may be thrown away")
    load = os.getloadavg()[0]
    tables = measured(given)
    if given.json:
        found = {table.title: table.rows for table in tables}
        print(json.dumps({"load before": load, "cores": os.cpu_count(), "tables": found}))
        return
    for table in tables:
        print(table.plain())
    print(f"{os.cpu_count()} cores; load before {load:.1f}, after {os.getloadavg()[0]:.1f}")


def measured(given: argparse.Namespace) -> list[Table]:
    """Measure what was asked for."""
    if given.what == "peers":
        from tools.bench import peers

        return peers.measured(given.venv, given.deltas, given.shots)
    tables = page.measured(given.deltas) if given.what in ("all", "page") else []
    if given.what in ("all", "crowd"):
        tables.append(Table("Many people before the bundled model", [crowd.crowd(given.people)]))
    return tables


if __name__ == "__main__":
    main()
