"""The report of documented requirements and their tests."""

from __future__ import annotations

from tests.support.doc_tables import Row
from tools.report import JUNIT_PATH, read_results, to_markdown
from twindow.paths import ROOT

JUNIT = """<testsuites><testsuite>
<testcase classname="tests.chat.test_log" name="test_one" />
<testcase classname="tests.chat.test_log" name="test_two[a[0]]"><failure>wrong</failure></testcase>
<testcase classname="tests.chat.test_log" name="test_two[b]"><system-out /></testcase>
<testcase classname="tests.chat.test_log" name="test_three"><skipped /></testcase>
<testcase classname="tests.chat.test_log" name="test_three"><error>teardown</error></testcase>
</testsuite></testsuites>"""


def test_result_of_a_test_is_the_worst_result_of_its_cases():
    assert read_results(JUNIT) == {
        "tests/chat/test_log.py::test_one": "passed",
        "tests/chat/test_log.py::test_two": "failed",
        "tests/chat/test_log.py::test_three": "failed",
    }


def test_report_reads_the_results_file_that_the_makefile_writes():
    assert f"--junitxml={JUNIT_PATH.relative_to(ROOT)}" in (ROOT / "Makefile").read_text()


def test_report_lists_the_tests_of_each_requirement_with_their_results():
    rows = [Row("F1", "a cut", "kept"), Row("F2", "a flood", "kept"), Row("F3", "a gap", "kept")]
    tests = {"F1": ["a.py::test_one", "a.py::test_two"], "F2": ["a.py::test_three"]}
    results = {"a.py::test_one": "passed", "a.py::test_two": "failed"}

    assert to_markdown("docs/faults.md", rows, tests, results).splitlines() == [
        "## docs/faults.md: 1 failed, 1 no result, 1 no test",
        "",
        "- **F1** a cut: failed",
        "  - passed: `a.py::test_one`",
        "  - failed: `a.py::test_two`",
        "- **F2** a flood: no result",
        "  - no result: `a.py::test_three`",
        "- **F3** a gap: no test",
    ]
