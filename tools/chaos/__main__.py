"""`python -m tools.chaos` tries all forms of chaos; with a name, one form for as long as wanted."""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path

from tools.chaos import burst, crash, drain, fuzz, hostile, soak
from tools.chaos.attacks import MODES
from tools.chaos.report import show

FORMS = ("crash", "drain", "hostile", "burst", "soak", "fuzz")


def main() -> int:
    """Run what is asked for; 1 says that a promise was broken."""
    # So that what was started is ended, whoever ends this.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    given = _arguments()
    forms = FORMS if given.form == "all" else (given.form,)
    kept = [_run(form, given) for form in forms]
    return 0 if all(kept) else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.chaos", description=__doc__)
    parser.add_argument("form", nargs="?", default="all", choices=("all", *FORMS))
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


def _run(form: str, given: argparse.Namespace) -> bool:
    match form:
        case "crash":
            report = crash.crash(given.rounds, given.streams or 20, seed=given.seed)
            return show("crash", report, crash.PROMISES)
        case "drain":
            report = drain.drain(given.streams or 200, workers=given.workers)
            return show("drain", report, drain.PROMISES)
        case "hostile":
            reports = hostile.hostile(given.modes).items()
            kept = [show(f"hostile: {mode}", one, hostile.PROMISES) for mode, one in reports]
            return all(kept)
        case "burst":
            report = burst.burst(given.requests, workers=given.workers)
            return show("burst", report, burst.PROMISES)
        case "soak":
            report = soak.soak(given.seconds or 120, given.out, given.seed)
            return show("soak", report, soak.PROMISES)
    report = fuzz.fuzz(given.seconds or 60, given.seed, given.only)
    return show("fuzz", report, fuzz.PROMISES)


if __name__ == "__main__":
    sys.exit(main())
