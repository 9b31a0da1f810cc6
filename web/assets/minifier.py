"""Minification of our styles, scripts and templates."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from string import ascii_letters

import rjsmin
from jinja2.ext import Extension

# For styles: CSS minifiers do not support nested rules yet.
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
BLANK = re.compile(r"\s+")
AROUND = re.compile(r" ?([{};,>]) ?|(:) ")
PROPERTY = re.compile(r"(?<![\w-])--[a-z][\w-]*")
# For scripts, in addition to rjsmin: shorter forms that are equivalent in our code.
SHORTER = (
    (re.compile(r"\bconst\b"), "let"),
    (re.compile(r"(?<![\w$.])\((\w+)\)=>"), r"\1=>"),
    (re.compile(r";}"), "}"),
)
WORD = re.compile(rf"{PROPERTY.pattern}|[\w$]+")
# A name that one of our scripts declares.
GIVEN = re.compile(r"\blet (\w{3,})(?=[=;])")
# Words used as property or key, or in a string or regular expression, must not be renamed.
NO_NAME = r"(?<!\.\.)\.{0}\b|[{{,]{0}:|(?<!\$){{{0}[,}}]|,{0}[,}}]"
IN_TEMPLATE = re.compile(r"\$\{[^{}]*\}")
PATTERN = r"(?<=[(,=:&|!?])/(?:\\.|\[(?:\\.|[^]\\])*\]|[^/\\\[\n])+/"
LITERAL = re.compile(rf'"(?:\\.|[^"\\])*"|`(?:\\.|[^`\\])*`|{PATTERN}')
INDENT = re.compile(r"^[ \t]+", re.MULTILINE)


def squeeze(part: str, text: str) -> str:
    """Minify a style or script. Return anything else unchanged."""
    if part.endswith(".css"):
        return AROUND.sub(r"\1\2", BLANK.sub(" ", COMMENT.sub("", text))).strip()
    if part.endswith(".js"):
        text = str(rjsmin.jsmin(text))
        for long, short in SHORTER:
            text = long.sub(short, text)
    return text


def short_properties(styles: Iterable[str]) -> Mapping[str, str]:
    """Return short names for the custom properties of styles that are used together."""
    long = sorted({name for style in styles for name in PROPERTY.findall(style)})
    return {name: f"--{number:x}" for number, name in enumerate(long)}


def short_names(scripts: Iterable[str]) -> Mapping[str, str]:
    """Return short names for the names that minified scripts declare in one shared scope."""
    whole = "\n".join(scripts)
    literals = " ".join(IN_TEMPLATE.sub("", found) for found in LITERAL.findall(whole))
    given = set(GIVEN.findall(whole)) - set(WORD.findall(literals))
    long = sorted(name for name in given if not re.search(NO_NAME.format(name), whole))
    return {name: f"{short}0" for name, short in zip(long, _letters(), strict=False)}


def renamed(text: str, names: Mapping[str, str]) -> str:
    """Replace the names in a style or script."""
    return WORD.sub(lambda found: names.get(found[0], found[0]), text)


def _letters() -> Iterator[str]:
    """Yield the letters a to Z, then aa to ZZ."""
    yield from ascii_letters
    yield from map("".join, product(ascii_letters, repeat=2))


class UnindentExtension(Extension):
    """Jinja extension that removes indentation from templates, but not from inserted values."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:  # noqa: ARG002
        """Return the template source without indentation."""
        return INDENT.sub("", source)
