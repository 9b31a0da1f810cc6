"""`python -m tools.trace` lists and counts what runs for one message and for one delta."""

from tools.trace import scenario
from tools.trace.report import to_text

if __name__ == "__main__":
    message, delta = scenario.run()
    print(to_text("A message: form, row, page", message))
    print(to_text("A delta: bytes, entry, frame", delta))
