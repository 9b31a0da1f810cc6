"""Extract the messages from the sources and update every catalogue with them."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from twindow.core.languages import LANGUAGES
from twindow.paths import ROOT, TRANSLATIONS

TRANSLATED_LANGUAGES = [code for code in LANGUAGES if code != "en"]
SOURCES = ("blueprints", "twindow", "templates")
EXTRACTION_METHODS = [("**.py", "python"), ("**.html", "jinja2")]
EXTRACTION_OPTIONS = {
    "**.html": {"trimmed": "true", "trim_blocks": "true", "lstrip_blocks": "true"}
}
KEYWORDS = {**DEFAULT_KEYWORDS, "N_": None}


def extract_catalog() -> Catalog:
    """Return all translatable messages of the sources."""
    catalog = Catalog(project="Twindow", charset="utf-8")
    for source in SOURCES:
        messages = extract_from_dir(ROOT / source, EXTRACTION_METHODS, EXTRACTION_OPTIONS, KEYWORDS)
        for file_path, _, message, _, context in messages:
            catalog.add(message, locations=[(f"{source}/{file_path}", 0)], context=context)
    return catalog


def catalog_path(code: str) -> Path:
    """Return the path of a language's catalogue."""
    return TRANSLATIONS / code / "LC_MESSAGES" / "messages.po"


def read_catalog(code: str) -> Catalog:
    """Read the catalogue of a language; return an empty one if there is none."""
    if not catalog_path(code).exists():
        return Catalog(locale=code)
    with catalog_path(code).open("rb") as file:
        return read_po(file, locale=code)


def compile_catalog(catalog: Catalog) -> bytes:
    """Return the compiled catalogue (.mo), which is read at run time."""
    buffer = BytesIO()
    write_mo(buffer, catalog)
    return buffer.getvalue()


def untranslated_messages(catalog: Catalog) -> Iterator[str]:
    """Yield the messages that are not translated."""
    for message in catalog:
        translations = message.string if message.pluralizable else (message.string,)
        if message.id and not all(translations):
            yield message.id if isinstance(message.id, str) else message.id[0]


def update_catalog(code: str) -> Catalog:
    """Update a catalogue: add new messages without a translation, and remove obsolete ones."""
    catalog = read_catalog(code)
    creation_date = catalog.creation_date
    catalog.update(extract_catalog(), no_fuzzy_matching=True, update_header_comment=False)
    catalog.creation_date = creation_date  # the file changes only if a sentence does
    catalog.obsolete.clear()
    catalog_path(code).parent.mkdir(parents=True, exist_ok=True)
    with catalog_path(code).open("wb") as file:
        write_po(
            file, catalog, sort_by_file=False, include_lineno=False, omit_header=False, width=100
        )
    catalog_path(code).with_suffix(".mo").write_bytes(compile_catalog(catalog))
    return catalog


if __name__ == "__main__":
    for code in TRANSLATED_LANGUAGES:
        empty = list(untranslated_messages(update_catalog(code)))
        print(f"{LANGUAGES[code]}: {len(empty)} to translate", *empty, sep="\n  ")
