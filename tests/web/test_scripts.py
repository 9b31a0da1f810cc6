"""Scripts: their files, URLs and sentences."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.support.node import run_node
from tests.support.person import Page, Person
from tests.support.upstream import Upstream
from twindow.paths import STATIC
from twindow.web.assets.bundles import SCRIPTS, build_asset

IMPORT = re.compile(r'(?:from|import) "\./(\w+\.js)"|import\("\./(\w+\.js)"\)')


def script_urls(page: Page) -> list[str]:
    """Return the URLs of the scripts in the order in which they run."""
    return [str(script["src"]) for script in page.html.select("script[src]")]


def test_every_module_is_in_one_file_after_those_that_it_imports():
    order = [source for sources in SCRIPTS.values() for source in sources]
    wrong = []
    for source in order:
        for module in re.findall(r'from "\./(\w+\.js)"', (STATIC / source).read_text()):
            if order.index(f"js/{module}") > order.index(source):
                wrong.append((source, module))

    assert wrong == []
    modules = {f"js/{path.name}" for path in (STATIC / "js").glob("*.js")} - {"js/sidebar.js"}
    assert sorted(order) == sorted(modules)


@pytest.mark.parametrize("name", SCRIPTS)
def test_joined_modules_are_a_valid_module_that_imports_only_other_files(name: str, tmp_path: Path):
    text = build_asset(name, SCRIPTS[name], {}).body.decode()
    path = tmp_path / f"{name}.mjs"
    path.write_text(text)

    result = run_node("--check", path)  # a name that two modules declare is a syntax error

    assert result.returncode == 0, result.stderr
    imported = {"main.js": {"dialogs.js"}, "passwords.js": set()}.get(name, {"main.js"})
    assert {a or b for a, b in IMPORT.findall(text)} == imported


def test_pages_load_one_script_and_conversations_a_second_one(alice: Person, upstream: Upstream):
    twin = alice.get("/twins/ada")
    conversation = alice.start_conversation("Hello")
    upstream.next_call().start_stream().complete("Hi")

    names = [[Path(url).name for url in script_urls(page)] for page in (twin, conversation)]
    assert names == [
        ["main.js", "htmx.js", "sidebar.js"],
        ["main.js", "conversation.js", "htmx.js", "sidebar.js"],
    ]


def test_scripts_share_one_version(alice: Person):
    main_url = script_urls(alice.get("/"))[0]
    version = main_url.split("/")[2]

    for name in SCRIPTS:
        url = main_url.replace("main.js", name)
        response = alice.get(url).response
        assert response.headers["Content-Type"] == "text/javascript"
        assert "immutable" in response.headers["Cache-Control"]
    assert alice.get(f"/static/{version}/nowhere.js").status == 404


def test_sentences_of_scripts_are_in_the_page_in_its_language(alice: Person):
    page = alice.get("/", **{"Accept-Language": "de"})
    [block] = page.html.select("script[type='application/json']")

    assert json.loads(block.get_text())["copied"] == "Kopiert"


def test_comments_are_not_sent_to_browsers(alice: Person):
    page = alice.get("/twins/ada")
    own = [str(link["href"]) for link in page.html.select("[rel=stylesheet]")]
    own += [url for url in script_urls(page) if "htmx" not in url]
    for url in own:
        text = alice.get(url).response.text
        assert not re.search(r"^\s*//|/\*", text, re.MULTILINE), url
