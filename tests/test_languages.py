"""Translation catalogues: complete, compiled and consistent with the source."""

from __future__ import annotations

import re

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.plurals import get_plural

from tools.translations import (
    TRANSLATED_LANGUAGES,
    catalog_path,
    compile_catalog,
    extract_catalog,
    read_catalog,
)
from twindow.core.languages import translate_to
from twindow.paths import ROOT

PLACE = re.compile(r"%\((\w+)\)s")
# Parts of a template without text to translate: `trans` blocks, scripts, drawings, tags, entities.
TAG = re.compile(
    r"\{% trans.*?endtrans %\}|<script.*?</script>|<svg.*?</svg>|<[^>]*>|\{[{%#].*?[}%#]\}|&\w+;",
    re.DOTALL,
)
SENTENCE = re.compile(r"""["'`][A-Z][a-z]+ [^"'`]*["'`]""")
NAMES = {"JWT", "Esc", "countdown"}

PAGES = sorted((ROOT / "templates").rglob("*.html"))


def forms(message: Message) -> list[str]:
    """Return all plural forms of the translation."""
    return list(message.string) if message.pluralizable else [message.string]


def sentences(message: Message) -> list[str]:
    return list(message.id) if message.pluralizable else [message.id]


@pytest.fixture(scope="module", params=TRANSLATED_LANGUAGES)
def code(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def catalog(code: str) -> Catalog:
    return read_catalog(code)


@pytest.fixture(scope="module")
def messages(catalog: Catalog) -> list[Message]:
    return [message for message in catalog if message.id]


@pytest.fixture(scope="module")
def sources():
    return {message.id for message in extract_catalog() if message.id}


def test_catalog_contains_exactly_the_sentences_of_the_source(
    catalog: Catalog, messages: list[Message], sources
):
    assert {message.id for message in messages} == sources
    assert not catalog.obsolete


def test_compiled_catalog_is_up_to_date(code: str, catalog: Catalog):
    assert catalog_path(code).with_suffix(".mo").read_bytes() == compile_catalog(catalog)


def test_translations_are_complete_and_contain_no_markup(
    code: str, catalog: Catalog, messages: list[Message]
):
    plurals = [message for message in messages if message.pluralizable]
    number = get_plural(code).num_plurals

    assert [m.id for m in messages if m.fuzzy or not all(forms(m))] == []
    assert [m.id for m in messages if re.search("[<>{}]", "".join(forms(m)))] == []
    assert catalog.num_plurals == number
    assert plurals
    assert [m.id for m in plurals if len(m.string) != number] == []


def test_translations_keep_the_placeholders(messages: list[Message]):
    """A plural form may spell out the number, but the last form has every placeholder."""
    wrong = []
    for message in messages:
        wanted = set(PLACE.findall(" ".join(sentences(message))))
        found = [set(PLACE.findall(form)) for form in forms(message)]
        rest = "".join(PLACE.sub("", form) for form in forms(message))
        if found[-1] != wanted or any(form - wanted for form in found) or "%" in rest:
            wrong.append(message.id)

    assert wrong == []


def test_french_has_its_apostrophes_and_spaces():
    messages = [message for message in read_catalog("fr") if message.id]

    assert messages
    assert [m.id for m in messages if re.search(r"'|« | [»:;?!]", "".join(forms(m)))] == []


@pytest.mark.parametrize(
    ("language", "sentence"),
    [("fr", "La réponse était vide."), ("fr-CA", "La réponse était vide."), ("pt-BR", "")],
)
def test_sentence_of_a_twin_is_translated_to_its_language(language: str, sentence: str):
    english = "The reply was empty."

    assert translate_to(language, english) == (sentence or english)


# The visible text of a button, and its accessible names, which must contain that text.
CALLED = {
    "Restore": ["Restore %(title)s"],
    "Undo": ["Undo: move %(title)s back", "Undo: restore %(title)s"],
}


def test_translated_accessible_names_contain_the_visible_text(catalog: Catalog):
    wrong = [
        (seen, name)
        for seen, names in CALLED.items()
        for name in names
        if catalog[seen].string.lower() not in catalog[name].string.lower()
    ]

    assert wrong == []


def test_templates_mark_all_text_for_translation():
    words = {
        str(page.relative_to(ROOT)): set(
            re.findall(r"[^\W\d_]{2,}", TAG.sub(" ", page.read_text()))
        )
        - NAMES
        for page in PAGES
    }

    assert PAGES
    assert {page: found for page, found in words.items() if found} == {}


def test_scripts_contain_no_hard_coded_sentences():
    wrong = {
        script.name: found
        for script in (ROOT / "static/js").glob("*.js")
        if (found := SENTENCE.findall(re.sub(r"//.*", "", script.read_text())))
    }

    assert wrong == {}
