"""What the documents say is so."""

import re
from pathlib import Path

import config

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
