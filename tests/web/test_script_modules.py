"""Script modules: their URLs, and which modules each file contains."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from flask import Flask

from tests.support.person import Page, Person
from tests.support.upstream import Upstream
from web.assets.script_modules import MODULES, SERVED, ScriptModules

OTHER_SYNTAX = re.compile(
    r"^(import\b(?! (\{[^}]*\} from )?\"\./\w+\.js\";$)|import [^;]* as |export ?(default|\{|\*))",
    re.MULTILINE,
)
DYNAMIC_IMPORT = re.compile(r"""\bimport\(["'`]\./([\w-]+\.js)""")
NAMES = sorted(path.name for path in MODULES.folder.glob("*.js"))


def script_urls(page: Page) -> list[str]:
    """Return the URLs of the scripts in the order in which they run."""
    return [str(script["src"]) for script in page.html.select("script[src]")]


@pytest.fixture
def copied_modules(tmp_path: Path) -> ScriptModules:
    shutil.copytree(MODULES.folder, tmp_path / "js")
    shutil.copytree(MODULES.catalogs, tmp_path / "translations")
    return ScriptModules(tmp_path / "js", tmp_path / "translations")


def test_version_changes_with_any_module_or_translation(copied_modules: ScriptModules):
    versions = {MODULES.compute_version(), copied_modules.compute_version()}
    assert len(versions) == 1
    for path in ("js/menus.js", "translations/de/LC_MESSAGES/messages.mo"):
        with (copied_modules.folder.parent / path).open("ab") as file:
            file.write(b"\n")
        versions.add(copied_modules.compute_version())

    assert len(versions) == 3


def test_page_loads_the_main_module_and_a_conversation_one_more(alice: Person, upstream: Upstream):
    twin = alice.get("/twins/ada")
    conversation = alice.start_conversation("Hello")
    upstream.next_call().start_stream().complete("Hi")

    assert [Path(url).name for url in script_urls(twin)] == ["main.js", "htmx.js"]
    assert [Path(url).name for url in script_urls(conversation)] == [
        "main.js",
        "conversation.js",
        "htmx.js",
    ]


def test_modules_run_before_htmx_and_share_one_version(alice: Person):
    entry, htmx = script_urls(alice.get("/"))
    version = entry.split("/")[2]

    assert entry == f"/static/{version}/en/main.js"
    assert htmx.endswith("/htmx.js")
    for path in (entry, entry.replace("main.js", "conversation.js")):
        response = alice.get(path).response
        assert response.headers["Content-Type"] == "text/javascript"
        assert "immutable" in response.headers["Cache-Control"]
        stale = alice.get(path.replace(version, "0" * 8)).response
        assert stale.text == response.text
        assert stale.headers["Cache-Control"] == "no-store"
    assert alice.get(f"/static/{version}/en/nowhere.js").status == 404


def test_main_module_contains_its_imports_in_the_order_in_which_they_run(app: Flask):
    with app.app_context():
        text = MODULES.read("main.js", "de")

    assert "import " not in text.replace('import("', "")
    definitions = ["const newestTurn", "const announce ", "const fetchFragment", "Kopiert"]
    assert all(definition in text for definition in definitions)
    assert text.index("const THROTTLE_MS") < text.index("const announce ")


def test_conversation_script_imports_parts_of_the_main_script_from_it(
    copied_modules: ScriptModules,
):
    for name, text in {
        "conversation": 'import "./reader.js";\nimport "./writer.js";\nrun();\n',
        "reader": 'import { at } from "./a.js";\nimport { announce } from "./announcements.js";\n',
        "writer": 'import { announce, showNotice } from "./announcements.js";\n',
        "a": "export const at = 1;\n",
    }.items():
        (copied_modules.folder / f"{name}.js").write_text(text)

    assert copied_modules.read("conversation.js", "en") == (
        'import { announce, showNotice } from "./main.js";\nexport const at = 1;\n\n\n\nrun();\n'
    )


def test_each_module_is_part_of_one_file_only():
    # Otherwise it would run twice.
    loaded = {"main.js", "conversation.js"}
    for path in MODULES.folder.glob("*.js"):
        loaded |= set(DYNAMIC_IMPORT.findall(path.read_text()))
    parts = [part for name in SERVED for part in MODULES.find_parts(name)]

    assert loaded == set(SERVED)
    assert sorted(parts) == NAMES


def test_modules_use_only_the_import_and_export_syntax_that_can_be_joined():
    for path in MODULES.folder.glob("*.js"):
        assert not OTHER_SYNTAX.search(path.read_text()), path.name


def test_module_imports_exist_and_have_no_cycles():
    for name in NAMES:
        MODULES.find_imports(name)  # raises FileNotFoundError or RecursionError
