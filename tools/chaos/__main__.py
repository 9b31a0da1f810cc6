"""`python -m tools.chaos` tries all forms of chaos; with a name, one form for as long as wanted."""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path

from tools.chaos import burst, crash, drain, fuzz, hostile, soak
from tools.chaos.attacks import MODES
from tools.chaos.report import print_report

SCENARIOS = ("crash", "drain", "hostile", "burst", "soak", "fuzz")


def main() -> int:
    """Run the selected scenarios; return 1 if an expectation was not met."""
    # Exit normally on SIGTERM, so that child processes are stopped.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    arguments = _parse_arguments()
    scenarios = SCENARIOS if arguments.form == "all" else (arguments.form,)
    results = [_run(scenario, arguments) for scenario in scenarios]
    return 0 if all(results) else 1


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.chaos", description=__doc__)
    parser.add_argument("form", nargs="?", default="all", choices=("all", *SCENARIOS))
    parser.add_argument("--rounds", type=int, default=100, help="crash: how often to kill")
    parser.add_argument("--streams", type=int, help="crash: 20, drain: 200 replies at once")
    parser.add_argument("--workers", type=int, default=2, help="drain, burst: processes that serve")
    parser.add_argument("--modes", nargs="+", choices=MODES, default=list(MODES), help="hostile")
    parser.add_argument("--seconds", type=float, help="soak: 120, fuzz: 60")
    parser.add_argument("--seed", type=int, default=1, help="crash, soak, fuzz: the dice")
    parser.add_argument("--requests", type=int, default=600, help="burst: how many on one key")
    parser.add_argument("--only", type=int, help="fuzz: one round, by its number")
    parser.add_argument("--out", type=Path, help="soak: a file for the samples, JSON lines")
    return parser.parse_args()


def _run(scenario: str, arguments: argparse.Namespace) -> bool:
    match scenario:
        case "crash":
            report = crash.run(arguments.rounds, arguments.streams or 20, seed=arguments.seed)
            return print_report("crash", report, crash.EXPECTATIONS)
        case "drain":
            report = drain.run(arguments.streams or 200, workers=arguments.workers)
            return print_report("drain", report, drain.EXPECTATIONS)
        case "hostile":
            reports = hostile.run(arguments.modes).items()
            results = [
                print_report(f"hostile: {mode}", one, hostile.EXPECTATIONS) for mode, one in reports
            ]
            return all(results)
        case "burst":
            report = burst.run(arguments.requests, workers=arguments.workers)
            return print_report("burst", report, burst.EXPECTATIONS)
        case "soak":
            report = soak.run(arguments.seconds or 120, arguments.out, arguments.seed)
            return print_report("soak", report, soak.EXPECTATIONS)
    report = fuzz.run(arguments.seconds or 60, arguments.seed, arguments.only)
    return print_report("fuzz", report, fuzz.EXPECTATIONS)


if __name__ == "__main__":
    sys.exit(main())
