"""`python -m tools.trace` lists and counts what runs for one message and for one delta."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict

from tools.trace import scenario
from tools.trace.recorder import Recording
from tools.trace.report import count_by_thread, to_text


def main() -> None:
    """Print the functions in the order in which they run, and their counts."""
    parser = argparse.ArgumentParser(prog="python -m tools.trace", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print only the counts, as JSON")
    arguments = parser.parse_args()
    message, delta = scenario.run()
    if arguments.json:
        print(json.dumps({"message": _to_json(message), "delta": _to_json(delta)}, indent=2))
        return
    print(to_text("A message: form, row, page", message))
    print(to_text("A delta: bytes, entry, frame", delta))


def _to_json(recording: Recording) -> dict[str, dict[str, int]]:
    return {thread: asdict(counts) for thread, counts in count_by_thread(recording).items()}


if __name__ == "__main__":
    main()
