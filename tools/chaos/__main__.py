"""`python -m tools.chaos` runs all scenarios, and `python -m tools.chaos NAME` runs one of them."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.support.postgres import run_postgres
from tools.chaos.report import Report, print_report
from tools.chaos.scenarios import (
    burst,
    crash,
    database,
    drain,
    hosts,
    identity_proxies,
    litellm_proxy,
    revocation,
    shared_service,
    soak,
)

# Maps the options and the URL of a PostgreSQL database, or "" for SQLite, to reports with the names
# of their variants.
Run = Callable[[argparse.Namespace, str], Mapping[str, Report]]

# Each scenario has a module, which contains the expectations.
SCENARIOS: dict[str, tuple[Any, Run]] = {
    "crash": (crash, lambda o, url: {"": crash.run(o.rounds, seed=o.seed, database_url=url)}),
    "drain": (drain, lambda _, url: {"": drain.run(database_url=url)}),
    "burst": (burst, lambda _, url: {"": burst.run(database_url=url)}),
    "revocation": (revocation, lambda o, url: {"": revocation.run(o.rounds, o.seed, url)}),
    "proxies": (identity_proxies, lambda *_: identity_proxies.run()),
    "litellm": (litellm_proxy, lambda *_: {"": litellm_proxy.run()}),
    "soak": (soak, lambda o, _: {"": soak.run(o.seconds or 120, o.out, o.seed)}),
    "hosts": (hosts, lambda *_: {"": hosts.run()}),
    "service": (shared_service, lambda *_: {"": shared_service.run()}),
    "database": (database, lambda o, url: database.run(url, seconds=o.seconds, faults=o.faults)),
}
NAMES_BY_DATABASE = {
    "sqlite": [name for name in SCENARIOS if name not in ("database", "hosts")],
    "postgresql": ["crash", "drain", "burst", "revocation", "hosts", "database"],
}


def main() -> int:
    """Run the selected scenarios; return 1 if an expectation was not met."""
    # Exit normally on SIGTERM, so that child processes are stopped.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    parser = _make_parser()
    options = parser.parse_args()
    selection = [
        (name, kind)
        for kind, names in NAMES_BY_DATABASE.items()
        for name in names
        if options.name in ("all", name) and options.database in (None, kind)
    ]
    if not selection:
        parser.error(f"{options.name} does not run on {options.database}")
    if options.name != "all":
        del selection[1:]  # a scenario that is selected by its name runs on one kind of database
    results = [_run(name, kind, options) for name, kind in selection]
    return 0 if all(results) else 1


def _make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tools.chaos", description=__doc__)
    add = parser.add_argument
    faults = list(database.FAULTS)
    add("name", nargs="?", default="all", choices=("all", *SCENARIOS))
    add("--database", choices=NAMES_BY_DATABASE, help="run only on this one")
    add("--rounds", type=int, help="crash: 100 kills, on PostgreSQL 10; revocation: 60")
    add("--faults", nargs="+", choices=faults, default=faults, help="database")
    add("--seconds", type=float, help="soak: 120 or more, database: 6 per fault")
    add("--seed", type=int, default=1, help="of random numbers")
    add("--out", type=Path, help="soak: a file for the samples, JSON lines")
    return parser


def _run(name: str, kind: str, options: argparse.Namespace) -> bool:
    module, run = SCENARIOS[name]
    title = name
    if kind == "sqlite":
        reports = run(options, "")
    else:
        title += " on PostgreSQL"
        with run_postgres() as server:
            reports = run(options, server.create_database())
    results = [
        print_report(f"{title}: {variant}" if variant else title, report, module.EXPECTATIONS)
        for variant, report in reports.items()
    ]
    return all(results)


if __name__ == "__main__":
    sys.exit(main())
