"""What the documents say is so."""

import re
from pathlib import Path

import config
from tests.faults import table

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


def test_every_setting_stands_in_the_table_with_its_default():
    rows = dict(re.findall(r"^\| `TWINDOW_(\w+)` \| ([^|]*?) ?\|", README, re.MULTILINE))
    defaults = dict(
        zip(config.Settings.__struct_fields__, config.Settings.__struct_defaults__, strict=True)
    )

    assert {name.lower() for name in rows} == set(defaults)
    for name, default in defaults.items():
        shown = rows[name.upper()].strip("`")
        if isinstance(default, Path):
            assert default.name == shown
        elif default is not None:
            assert shown == str(default).replace("False", "false")


def test_what_the_readme_links_to_is_there():
    for target in re.findall(r"\]\((?!http)([^)]+)\)", README):
        assert (ROOT / target).exists(), target


def test_ci_runs_the_readmes_own_test_command():
    assert "    make test\n" in README
    assert "make test" in (ROOT / ".ci/run").read_text().splitlines()


def test_every_fault_names_the_tests_that_hold_its_promise():
    document = table.DOCUMENT.read_text()

    assert document == table.filled_in(document), "run python -m tests.faults.table"
    rows = {row[0]: row[3] for row in table.ROW.findall(document)}
    assert list(rows) == ["R0", *(f"F{number}" for number in range(1, 89))]
    assert [row for row, tests in rows.items() if tests == "none"] == []
    assert set(table.proofs()) <= set(rows)
