"""`python -m tools.report` lists each documented requirement with its tests and their results.

The results are those of the last `make test`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from xml.etree import ElementTree

from tests.support.doc_tables import FAULTS, INTERFACE, LIMITS, Row
from twindow.paths import ROOT

JUNIT_PATH = ROOT / "build" / "tests.xml"
REPORT_PATH = ROOT / "build" / "report.md"
RESULT_BY_TAG = {"failure": "failed", "error": "failed", "skipped": "skipped"}
WORST_FIRST = ("failed", "no result", "skipped", "passed")


def worst(results: Iterable[str]) -> str:
    """Return the worst of some results."""
    return min(results, key=WORST_FIRST.index, default="no test")


def read_results(junit: str) -> dict[str, str]:
    """Return the result of each test in a JUnit file: the worst result of its cases."""
    results: dict[str, str] = {}
    for case in ElementTree.fromstring(junit).iter("testcase"):  # noqa: S314 - pytest wrote it
        file = case.attrib["classname"].replace(".", "/")
        test = f"{file}.py::{case.attrib['name'].partition('[')[0]}"
        case_results = [RESULT_BY_TAG.get(child.tag, "passed") for child in case]
        results[test] = worst([results.get(test, "passed"), *case_results])
    return results


def to_markdown(
    title: str, rows: Sequence[Row], tests: Mapping[str, Sequence[str]], results: Mapping[str, str]
) -> str:
    """Return a section: a heading with totals, and a list of the rows of a document."""
    totals: Counter[str] = Counter()
    lines = []
    for row in rows:
        row_tests = tests.get(row.name, ())
        result = worst(results.get(test, "no result") for test in row_tests)
        totals[result] += 1
        lines.append(f"- **{row.name}** {row.subject}: {result}")
        lines += [f"  - {results.get(test, 'no result')}: `{test}`" for test in row_tests]
    total = ", ".join(f"{count} {result}" for result, count in totals.most_common())
    return "\n".join([f"## {title}: {total}", "", *lines, ""])


def main() -> None:
    """Write the report, and print its totals and its path."""
    source, results = "No results: `make test` records them.", {}
    if JUNIT_PATH.exists():
        time = datetime.fromtimestamp(JUNIT_PATH.stat().st_mtime).astimezone()
        source = f"Results of `make test`, {time:%Y-%m-%d %H:%M}."
        results = read_results(JUNIT_PATH.read_text())
    sections = [
        to_markdown(f"docs/{table.path.name}", table.rows(), table.tests_by_row(), results)
        for table in (FAULTS, INTERFACE, LIMITS)
    ]
    REPORT_PATH.parent.mkdir(exist_ok=True)
    REPORT_PATH.write_text(
        "\n".join(["# Documented requirements and their tests", "", source, "", *sections])
    )
    for section in sections:
        print(section.partition("\n")[0].removeprefix("## "))
    print(REPORT_PATH.relative_to(ROOT))


if __name__ == "__main__":
    main()
