"""Read the sentences out of the sources, and bring every catalogue up to date with them."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from core.languages import LANGUAGES

ROOT = Path(__file__).parent.parent
CATALOGUES = ROOT / "translations"
TRANSLATED = [code for code in LANGUAGES if code != "en"]
SOURCES = ("blueprints", "web", "chat", "twinapi", "service", "templates")
METHODS = [("**.py", "python"), ("**.html", "jinja2")]
OPTIONS = {"**.html": {"trimmed": "true", "trim_blocks": "true", "lstrip_blocks": "true"}}
KEYWORDS = {**DEFAULT_KEYWORDS, "N_": None}


def template() -> Catalog:
    """Return all sentences in the sources."""
    found = Catalog(project="Twindow", charset="utf-8")
    for source in SOURCES:
        parts = extract_from_dir(ROOT / source, METHODS, OPTIONS, KEYWORDS)
        for path, _, message, _, context in parts:
            found.add(message, locations=[(f"{source}/{path}", 0)], context=context)
    return found


def path(code: str) -> Path:
    """Return where the catalogue of a language is."""
    return CATALOGUES / code / "LC_MESSAGES" / "messages.po"


def catalogue(code: str) -> Catalog:
    """Read the catalogue of a language."""
    if not path(code).exists():
        return Catalog(locale=code)
    with path(code).open("rb") as file:
        return read_po(file, locale=code)


def compiled(found: Catalog) -> bytes:
    """Return what is read at run time."""
    written = BytesIO()
    write_mo(written, found)
    return written.getvalue()


def missing(found: Catalog) -> Iterator[str]:
    """Yield the sentences that are not translated."""
    for message in found:
        words = message.string if message.pluralizable else (message.string,)
        if message.id and not all(words):
            yield message.id if isinstance(message.id, str) else message.id[0]


def update(code: str) -> Catalog:
    """Bring a catalogue up to date: new sentences come in, empty; those that are gone leave."""
    found = catalogue(code)
    found.update(template(), no_fuzzy_matching=True, update_header_comment=False)
    found.obsolete.clear()
    path(code).parent.mkdir(parents=True, exist_ok=True)
    with path(code).open("wb") as file:
        write_po(
            file, found, sort_by_file=False, include_lineno=False, omit_header=False, width=100
        )
    path(code).with_suffix(".mo").write_bytes(compiled(found))
    return found


if __name__ == "__main__":
    for code in TRANSLATED:
        empty = list(missing(update(code)))
        print(f"{LANGUAGES[code]}: {len(empty)} to translate", *empty, sep="\n  ")
