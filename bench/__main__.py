"""`python -m bench` measures all; with a name, one thing."""

from __future__ import annotations

import argparse

from bench import crowd


def main() -> None:
    """Measure, and print what was found."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("what", nargs="?", default="all", choices=("all", "crowd"))
    parser.add_argument("--people", type=int, default=20, help="crowd: how many at once")
    given = parser.parse_args()
    for name, value in crowd.crowd(given.people).items():
        print(f"{name:28} {value}")


if __name__ == "__main__":
    main()
