"""The README and the documents agree with the code."""

import re
import textwrap
from pathlib import Path

import pytest
import yaml
from msgspec import UNSET, inspect

from tests.support import doc_tables
from tests.support.doc_tables import Table
from twindow.core.settings import Settings
from twindow.core.settings.settings import SETTING_NAMES
from twindow.core.version import read_version
from twindow.paths import ROOT
from twindow.service.twins.parser import parse
from twindow.service.twins.twin import FrontMatter
from twindow.service.validation_messages import describe_type

README = (ROOT / "README.md").read_text()
SETTINGS = (ROOT / "docs" / "settings.md").read_text()
TWINS = (ROOT / "docs" / "twins.md").read_text()
SETTING_ROW = re.compile(r"^\| `TWINDOW_(\w+)` \| ([^|]*?) ?\|", re.MULTILINE)
INDENTED = re.compile(r"^ {4}.*\n(?: {4}.*\n|\n(?= {4}))*", re.MULTILINE)


def twin_files(document: str) -> list[str]:
    blocks = (textwrap.dedent(block) for block in INDENTED.findall(document))
    return [block for block in blocks if block.startswith("---\n")]


def test_docs_list_every_setting_with_its_default():
    rows = dict(SETTING_ROW.findall(SETTINGS))
    defaults = dict(zip(Settings.__struct_fields__, Settings.__struct_defaults__, strict=True))

    assert {name.lower() for name in rows} == set(defaults)
    for name, default in defaults.items():
        shown = rows[name.upper()].strip("`")
        if isinstance(default, Path):
            assert default.name == shown
        elif default is not None:
            text = getattr(default, "text", default)
            written = ", ".join(text) if isinstance(text, frozenset) else str(text)
            assert shown == written.replace("False", "false").replace("True", "true")


def test_links_and_anchors_in_the_documents_exist():
    for path in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]:
        for target, place in re.findall(r"\]\((?!http)([^)#]*)(#[^)]*)?\)", path.read_text()):
            linked = path.parent / target if target else path
            assert linked.exists(), f"{path.name}: {target}"
            if place:
                headings = re.findall(r"^#+ (.*)", linked.read_text(), re.MULTILINE)
                places = {"#" + heading.lower().replace(" ", "-") for heading in headings}
                assert place in places, f"{path.name}: {target}{place}"


def test_paths_that_the_documents_name_exist():
    folders = "blueprints|docs|static|templates|tests|tools|twindow"
    named = re.compile(rf"`((?:{folders})/[\w./-]+)`")
    wrong = [
        (path.name, name)
        for path in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
        for name in named.findall(path.read_text())
        if not (ROOT / name).exists()
    ]

    assert wrong == []


@pytest.mark.parametrize(
    "text", twin_files(README) + twin_files(TWINS), ids=lambda text: text[4:20]
)
def test_twin_examples_in_the_docs_are_valid_twin_files(text: str):
    twin = parse("example", text, 1.0)

    assert twin.instructions or twin.front_matter.knowledge
    assert twin.front_matter.name in text


def test_every_recipe_of_the_twin_cookbook_has_an_example():
    without_one = {"The fields", "Try a change at once"}
    recipes = set(re.findall(r"^## (.*)", TWINS, re.MULTILINE)) - without_one

    assert len(twin_files(TWINS)) == 1 + len(recipes)


def test_docs_list_every_twin_field_with_its_type_and_default():
    rows = re.findall(r"^\| `(\w+)` \| ([^|]+) \| ([^|]*?) ?\|", TWINS, re.MULTILINE)
    kind = inspect.type_info(FrontMatter)
    assert isinstance(kind, inspect.StructType)
    fields = {field.name: field for field in kind.fields}

    assert {name: may_be for name, may_be, _ in rows} == {
        name: describe_type(field.type) for name, field in fields.items()
    }
    for name, _, without in rows:
        default = fields[name].default
        if default not in (inspect.NODEFAULT, UNSET, None, "") and name != "name":
            assert without == str(default)


def test_ci_runs_the_test_command_of_the_readme():
    assert "    make test\n" in README
    assert "make test" in (ROOT / ".ci/run").read_text().splitlines()


TABLES = [
    pytest.param(
        doc_tables.FAULTS, sorted({row.name for row in doc_tables.FAULTS.rows()}), id="faults"
    ),
    pytest.param(doc_tables.INTERFACE, [f"S{number}" for number in range(1, 97)], id="interface"),
    pytest.param(
        doc_tables.LIMITS, sorted({row.name for row in doc_tables.LIMITS.rows()}), id="limits"
    ),
]


@pytest.mark.parametrize(("table", "names"), TABLES)
def test_every_requirement_has_a_test_and_every_marker_names_a_requirement(
    table: Table, names: list[str]
):
    assert sorted(row.name for row in table.rows()) == sorted(names)
    assert set(table.tests_by_row()) == set(names)


def test_api_docs_settle_every_point_that_the_specification_leaves_open():
    api = (ROOT / "docs/api.md").read_text().partition("leaves open")[2]
    decided = re.findall(r"^\| (.+?) \| .+ \|$", api, re.MULTILINE)
    open_points = [row for row in doc_tables.INTERFACE.rows() if "not shown" in row.subject]

    assert len(open_points) == 21
    for row in open_points:
        choice = re.match(r"\*\*(.+?)\*\*: .", row.promise)
        assert choice, row.name
        assert choice[1] in decided, row.name


def test_settings_in_the_container_files_exist():
    texts = [(ROOT / name).read_text() for name in ("compose.yaml", "compose.production.yaml")]
    texts += [(ROOT / "docs/containers.md").read_text(), (ROOT / "Containerfile").read_text()]
    named = {name for text in texts for name in re.findall(r"\bTWINDOW_([A-Z_]+)\b", text)}

    assert {name.lower() for name in named} - {"service_host"} <= set(SETTING_NAMES)


def test_container_files_are_valid_yaml():
    document = (ROOT / "docs/containers.md").read_text()
    start = document.index("    apiVersion: apps/v1")
    manifest = textwrap.dedent(document[start : document.index("\n- The portal's key")])
    kinds = [each["kind"] for each in yaml.safe_load_all(manifest)]

    assert kinds == ["Deployment", "Service"]
    assert f"/twindow:{read_version()}\n" in manifest
    for name in ("compose.yaml", "compose.production.yaml"):
        text = (ROOT / name).read_text().replace("!reset ", "")
        service = yaml.safe_load(text)["services"]["twindow"]
        assert service.get("image", f"twindow:{read_version()}") == f"twindow:{read_version()}"
