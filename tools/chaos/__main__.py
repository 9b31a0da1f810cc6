"""`python -m tools.chaos` runs all scenarios, and `python -m tools.chaos NAME` runs one of them."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.support.postgres import run_postgres
from tools.chaos import (
    burst,
    crash,
    database,
    drain,
    fuzz,
    hostile,
    identity_proxies,
    litellm_proxy,
    revocation,
    soak,
)
from tools.chaos.attacks import MODES
from tools.chaos.database import FAULTS
from tools.chaos.report import Expectations, Report, print_report

SCENARIOS = {
    "sqlite": (
        "crash",
        "drain",
        "hostile",
        "burst",
        "revocation",
        "proxies",
        "litellm",
        "soak",
        "fuzz",
    ),
    "postgresql": ("crash", "drain", "burst", "revocation", "database"),
}


def main() -> int:
    """Run the selected scenarios; return 1 if an expectation was not met."""
    # Exit normally on SIGTERM, so that child processes are stopped.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    parser = _make_parser()
    arguments = parser.parse_args()
    selection = _select_scenarios(arguments.form, arguments.database)
    if not selection:
        parser.error(f"{arguments.form} does not run on {arguments.database}")
    results = [_run(scenario, kind, arguments) for scenario, kind in selection]
    return 0 if all(results) else 1


def _make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tools.chaos", description=__doc__)
    forms = dict.fromkeys(name for names in SCENARIOS.values() for name in names)
    parser.add_argument("form", nargs="?", default="all", choices=("all", *forms))
    parser.add_argument("--database", choices=SCENARIOS, help="run only on this one")
    parser.add_argument(
        "--rounds", type=int, help="crash: 100 kills, on PostgreSQL 10; revocation: 60"
    )
    parser.add_argument("--streams", type=int, help="replies at once: crash 20, drain 200")
    parser.add_argument("--workers", type=int, default=2, help="drain, burst: processes that serve")
    parser.add_argument("--modes", nargs="+", choices=MODES, default=list(MODES), help="hostile")
    parser.add_argument(
        "--faults", nargs="+", choices=FAULTS, default=list(FAULTS), help="database"
    )
    parser.add_argument("--seconds", type=float, help="soak: 120, fuzz: 60, database: 6 per fault")
    parser.add_argument(
        "--seed", type=int, default=1, help="crash, revocation, soak, fuzz: the dice"
    )
    parser.add_argument("--requests", type=int, default=600, help="burst: how many on one key")
    parser.add_argument("--only", type=int, help="fuzz: one round, by its number")
    parser.add_argument("--out", type=Path, help="soak: a file for the samples, JSON lines")
    return parser


def _select_scenarios(form: str, database_kind: str | None) -> list[tuple[str, str]]:
    """Return the scenarios to run, each with the kind of database to use.

    A scenario that is selected by its name runs on only one kind of database.
    """
    selection = [
        (scenario, kind)
        for kind, scenarios in SCENARIOS.items()
        for scenario in scenarios
        if form in ("all", scenario) and database_kind in (None, kind)
    ]
    return selection if form == "all" else selection[:1]


def _run(scenario: str, kind: str, arguments: argparse.Namespace) -> bool:
    if kind == "sqlite":
        return _run_scenario(scenario, arguments)
    with run_postgres() as server:
        return _run_scenario(scenario, arguments, server.create_database())


def _run_scenario(
    scenario: str, arguments: argparse.Namespace, database_url: str | None = None
) -> bool:
    title = f"{scenario} on PostgreSQL" if database_url else scenario
    match scenario:
        case "crash":
            rounds = arguments.rounds or (10 if database_url else 100)
            report = crash.run(
                rounds, arguments.streams or 20, seed=arguments.seed, database_url=database_url
            )
            return print_report(title, report, crash.EXPECTATIONS)
        case "drain":
            report = drain.run(
                arguments.streams or 200, workers=arguments.workers, database_url=database_url
            )
            return print_report(title, report, drain.EXPECTATIONS)
        case "burst":
            report = burst.run(
                arguments.requests, workers=arguments.workers, database_url=database_url
            )
            return print_report(title, report, burst.EXPECTATIONS)
        case "revocation":
            report = revocation.run(
                arguments.rounds or 60, seed=arguments.seed, database_url=database_url
            )
            return print_report(title, report, revocation.EXPECTATIONS)
        case "proxies":
            return _print_reports(title, identity_proxies.run(), identity_proxies.EXPECTATIONS)
        case "litellm":
            return print_report(title, litellm_proxy.run(), litellm_proxy.EXPECTATIONS)
        case "hostile":
            return _print_reports(title, hostile.run(arguments.modes), hostile.EXPECTATIONS)
        case "database":
            assert database_url
            reports = database.run(
                database_url, seconds=arguments.seconds or 6, faults=arguments.faults
            )
            return _print_reports(title, reports, database.EXPECTATIONS)
        case "soak":
            report = soak.run(arguments.seconds or 120, arguments.out, arguments.seed)
            return print_report(title, report, soak.EXPECTATIONS)
    report = fuzz.run(arguments.seconds or 60, arguments.seed, arguments.only)
    return print_report(title, report, fuzz.EXPECTATIONS)


def _print_reports(title: str, reports: Mapping[str, Report], expectations: Expectations) -> bool:
    results = [
        print_report(f"{title}: {name}", report, expectations) for name, report in reports.items()
    ]
    return all(results)


if __name__ == "__main__":
    sys.exit(main())
