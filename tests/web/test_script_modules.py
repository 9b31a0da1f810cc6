"""Script modules: their URLs, and which of them a page preloads."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.support.person import Page, Person
from tests.support.upstream import Upstream
from web.assets import bundles
from web.assets.bundles import STATIC_DIR, modules_version

STATIC_IMPORT = re.compile(r'^import (?:\{[^}]*\} from )?"\./(\w+\.js)";', re.MULTILINE)


def script_urls(page: Page) -> list[str]:
    """Return the URLs of the scripts in the order in which they run."""
    return [str(script["src"]) for script in page.html.select("script[src]")]


def preloaded(page: Page) -> set[str]:
    links = page.html.select("link[rel=modulepreload]")
    return {Path(str(link["href"])).name for link in links}


def imported(name: str) -> set[str]:
    """Return the modules that a module imports, directly or not."""
    names: set[str] = set()
    for each in STATIC_IMPORT.findall((STATIC_DIR / "js" / name).read_text()):
        names |= {each} | imported(each)
    return names


def test_version_changes_with_any_module_or_translation(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    shutil.copytree(STATIC_DIR / "js", tmp_path / "static" / "js")
    shutil.copytree(bundles.ROOT / "translations", tmp_path / "translations")
    versions = {modules_version()}
    monkeypatch.setattr(bundles, "ROOT", tmp_path)
    monkeypatch.setattr(bundles, "STATIC_DIR", tmp_path / "static")
    versions.add(modules_version())
    assert len(versions) == 1

    for path in ("static/js/page.js", "translations/de/LC_MESSAGES/messages.mo"):
        with (tmp_path / path).open("ab") as file:
            file.write(b"\n")
        versions.add(modules_version())
    assert len(versions) == 3


def test_page_preloads_the_modules_that_it_imports(alice: Person, upstream: Upstream):
    twin = alice.get("/twins/ada")
    conversation = alice.start_conversation("Hello")
    upstream.next_call().start_stream().complete("Hi")

    assert [Path(url).name for url in script_urls(twin)] == ["main.js", "htmx.js", "sidebar.js"]
    assert preloaded(twin) == imported("main.js")
    scripts = [Path(url).name for url in script_urls(conversation)]
    assert scripts == ["main.js", "conversation.js", "htmx.js", "sidebar.js"]
    assert preloaded(conversation) == imported("main.js") | imported("conversation.js")


def test_modules_share_one_version(alice: Person):
    main_url = script_urls(alice.get("/"))[0]
    version = main_url.split("/")[2]

    assert main_url == f"/static/{version}/en/main.js"
    for name in bundles.SCRIPT_MODULES:
        url = main_url.replace("main.js", name)
        response = alice.get(url).response
        assert response.headers["Content-Type"] == "text/javascript"
        assert "immutable" in response.headers["Cache-Control"]
        stale = alice.get(url.replace(version, "0" * 8)).response
        assert stale.text == response.text
        assert stale.headers["Cache-Control"] == "no-store"
    assert alice.get(f"/static/{version}/en/nowhere.js").status == 404
