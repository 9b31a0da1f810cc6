"""Script modules: all URLs have the same version, and pages preload the imports."""

from __future__ import annotations

import shutil
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from tests.support.person import Page, Person
from tests.support.upstream import Upstream
from web.assets.script_modules import MODULES, ScriptModules

MAX_MODULES_OF_FIRST_PAGE = 10


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


def test_twin_page_preloads_all_its_imports_and_loads_at_most_ten_modules(alice: Person):
    page = alice.get("/twins/ada")
    preloaded = preloaded_modules(page)

    assert preloaded == set(MODULES.find_imports("main.js"))
    assert len(preloaded | {"main.js", "messages.js"}) <= MAX_MODULES_OF_FIRST_PAGE


def test_conversation_page_preloads_the_imports_of_the_conversation_script(
    alice: Person, upstream: Upstream
):
    page = alice.start_conversation("Hello")
    upstream.next_call().start_stream().complete("Hi")

    assert preloaded_modules(page) == set(MODULES.find_imports("conversation.js"))
    assert script_urls(page)[1].endswith("/js/conversation.js")


def test_modules_run_before_htmx_and_share_one_version(alice: Person):
    messages, entry, htmx = script_urls(alice.get("/"))
    version = entry.split("/")[2]

    assert messages == f"/static/{version}/en/messages.js"
    assert entry == f"/static/{version}/js/main.js"
    assert htmx.endswith("/htmx.js")
    for path in (messages, entry):
        response = alice.get(path).response
        assert response.headers["Content-Type"] == "text/javascript"
        assert "immutable" in response.headers["Cache-Control"]
        stale = alice.get(path.replace(version, "0" * 8)).response
        assert stale.text == response.text
        assert stale.headers["Cache-Control"] == "no-store"
    assert alice.get(f"/static/{version}/js/nowhere.js").status == 404


def test_module_imports_exist_and_have_no_cycles():
    graph = {name: set(MODULES.find_imports(name)) for name in MODULES.names}

    assert set().union(*graph.values()) <= set(MODULES.names)
    list(TopologicalSorter(graph).static_order())
