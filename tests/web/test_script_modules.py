"""Script modules: their URLs, what main.js contains, and what pages preload."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from flask import Flask

from tests.support.person import Page, Person
from tests.support.upstream import Upstream
from web.assets.script_modules import MODULES, ScriptModules

RENAMING = re.compile(r"^(import\b[^;]*(\*| as )|export (default|\{|\*))", re.MULTILINE)
ANY_IMPORT = re.compile(r"[\"'`]\./([\w-]+\.js)")


def script_urls(page: Page) -> list[str]:
    """Return the URLs of the scripts in the order in which they run."""
    return [str(script["src"]) for script in page.html.select("script[src]")]


def preloaded_modules(page: Page) -> set[str]:
    return {Path(str(link["href"])).name for link in page.html.select("link[rel=modulepreload]")}


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


def test_twin_page_loads_one_module(alice: Person):
    page = alice.get("/twins/ada")

    assert [Path(url).name for url in script_urls(page)] == ["main.js", "htmx.js"]
    assert preloaded_modules(page) == set()


def test_conversation_page_preloads_the_imports_of_the_conversation_script(
    alice: Person, upstream: Upstream
):
    page = alice.start_conversation("Hello")
    upstream.next_call().start_stream().complete("Hi")

    imports = set(MODULES.find_imports("conversation.js")) - set(MODULES.find_imports("main.js"))
    assert "main.js" in imports
    assert preloaded_modules(page) == imports
    assert script_urls(page)[0].endswith("/en/conversation.js")


def test_modules_run_before_htmx_and_share_one_version(alice: Person):
    entry, htmx = script_urls(alice.get("/"))
    version = entry.split("/")[2]

    assert entry == f"/static/{version}/en/main.js"
    assert htmx.endswith("/htmx.js")
    for path in (entry, entry.replace("main.js", "menus.js")):
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


def test_other_modules_import_from_the_main_module_what_is_part_of_it(
    copied_modules: ScriptModules,
):
    (copied_modules.folder / "menus.js").write_text(
        'import { announce } from "./announcements.js";\nimport { copy } from "./copy.js";\n'
    )

    assert copied_modules.read("menus.js", "en") == (
        'import { announce } from "./main.js";\nimport { copy } from "./copy.js";\n'
    )


def test_no_served_module_imports_a_part_of_the_main_module(app: Flask):
    # The part would run twice: in main.js, and as a module of its own.
    parts = set(MODULES.find_imports("main.js"))
    with app.app_context():
        for name in set(MODULES.names) - parts:
            assert not parts & set(ANY_IMPORT.findall(MODULES.read(name, "en"))), name


def test_modules_rename_nothing_that_they_import_or_export():
    # The texts of several modules are joined in main.js without their imports.
    for path in MODULES.folder.glob("*.js"):
        assert not RENAMING.search(path.read_text()), path.name


def test_module_imports_exist_and_have_no_cycles():
    for name in MODULES.names:
        MODULES.find_imports(name)  # raises FileNotFoundError or RecursionError
