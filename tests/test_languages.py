"""Every sentence of ours is there in every language."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from babel.messages.catalog import Message
from babel.messages.plurals import get_plural

from tests.languages import CATALOGUES, SOURCES, TRANSLATED, catalogue, compiled, path, template

PLACE = re.compile(r"%\((\w+)\)s")
ROOT = CATALOGUES.parent
# What stands between the tags of a page: marked, or nothing for people.
TAG = re.compile(
    r"\{% trans.*?endtrans %\}|<script.*?</script>|<svg.*?</svg>|<[^>]*>|\{[{%#].*?[}%#]\}|&\w+;",
    re.DOTALL,
)
NAMES = {"JWT", "Esc", "until"}

PAGES = sorted((ROOT / "templates").rglob("*.html"))


def forms(message: Message) -> list[str]:
    """Return the translation, in all its plural forms."""
    return list(message.string) if message.pluralizable else [message.string]


def sentences(message: Message) -> list[str]:
    return list(message.id) if message.pluralizable else [message.id]


@pytest.fixture(scope="module")
def sources():
    return {message.id for message in template() if message.id}


@pytest.mark.parametrize("code", TRANSLATED)
def test_every_sentence_is_in_the_catalogue_and_no_other(code: str, sources):
    assert {message.id for message in catalogue(code) if message.id} == sources
    assert not catalogue(code).obsolete


@pytest.mark.parametrize("code", TRANSLATED)
def test_none_is_empty_or_uncertain(code: str):
    bad = [m.id for m in catalogue(code) if m.id and (m.fuzzy or not all(forms(m)))]

    assert bad == []


@pytest.mark.parametrize("code", TRANSLATED)
def test_there_are_all_plural_forms(code: str):
    found = catalogue(code)
    plurals = [message for message in found if message.id and message.pluralizable]

    assert found.num_plurals == get_plural(code).num_plurals
    assert plurals
    assert [m.id for m in plurals if len(m.string) != found.num_plurals] == []


@pytest.mark.parametrize("code", TRANSLATED)
def test_the_values_have_their_places(code: str):
    """A form for one number may say it in words; nothing else may be left out or added."""
    for message in catalogue(code):
        if not message.id:
            continue
        wanted = set(PLACE.findall(" ".join(sentences(message))))
        last = set(PLACE.findall(forms(message)[-1]))
        assert last == wanted, message.id
        assert all(set(PLACE.findall(form)) <= wanted for form in forms(message)), message.id
        assert all("%" not in PLACE.sub("", form) for form in forms(message)), message.id


@pytest.mark.parametrize("code", TRANSLATED)
def test_no_translation_brings_markup(code: str):
    assert [m.id for m in catalogue(code) if m.id and re.search("[<>{}]", "".join(forms(m)))] == []


# What is seen of a button, and what it is called: whoever speaks to it says what they see.
CALLED = {
    "More": "More pages",
    "New": "New conversation",
    "Undo": "Undo: bring back %(title)s",
}


@pytest.mark.parametrize("code", TRANSLATED)
@pytest.mark.parametrize(("seen", "name"), CALLED.items())
def test_a_name_holds_what_is_seen(code: str, seen: str, name: str):
    found = catalogue(code)

    assert found[seen].string.lower() in found[name].string.lower()


@pytest.mark.parametrize("code", TRANSLATED)
def test_what_is_compiled_is_what_is_written(code: str):
    assert path(code).with_suffix(".mo").read_bytes() == compiled(catalogue(code))


@pytest.mark.parametrize("template", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_words_of_a_page_are_unmarked(template: Path):
    words = re.findall(r"[^\W\d_]{2,}", TAG.sub(" ", template.read_text()))

    assert set(words) <= NAMES


def test_the_sources_are_all_looked_through():
    marked = {
        found.parent
        for folder in ("app.py", "branding", "chat", "service", "twinapi", "blueprints")
        for found in [ROOT / folder, *(ROOT / folder).rglob("*.py")]
        if found.is_file() and "from wording import" in found.read_text()
    }

    assert {str(found.relative_to(ROOT)).split("/")[0] for found in marked} <= set(SOURCES)


@pytest.mark.parametrize("script", sorted((ROOT / "static/js").glob("*.js")), ids=lambda p: p.name)
def test_scripts_have_no_sentences_of_their_own(script: Path):
    code = re.sub(r"//.*", "", script.read_text())

    assert re.findall(r"""["'`][A-Z][a-z]+ [^"'`]*["'`]""", code) == []
