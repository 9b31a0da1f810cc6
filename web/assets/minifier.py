"""Our own styles, scripts and templates without what only their readers need."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from string import ascii_letters

import rjsmin
from jinja2.ext import Extension

# Of styles: what minifies CSS does not know nested rules yet.
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
BLANK = re.compile(r"\s+")
AROUND = re.compile(r" ?([{};,>]) ?|(:) ")
PROPERTY = re.compile(r"(?<![\w-])--[a-z][\w-]*")
# Of our own scripts, beside what rjsmin takes out: what means the same, as we write.
SHORTER = (
    (re.compile(r"\bconst\b"), "let"),
    (re.compile(r"(?<![\w$.])\((\w+)\)=>"), r"\1=>"),
    (re.compile(r";}"), "}"),
)
WORD = re.compile(rf"{PROPERTY.pattern}|[\w$]+")
# A name that a script of ours declares.
GIVEN = re.compile(r"\blet (\w{3,})(?=[=;])")
# Where a word is a property, a key, or stands in a string or a pattern, it is no name.
NO_NAME = r"(?<!\.\.)\.{0}\b|[{{,]{0}:|(?<!\$){{{0}[,}}]|,{0}[,}}]"
IN_TEMPLATE = re.compile(r"\$\{[^{}]*\}")
PATTERN = r"(?<=[(,=:&|!?])/(?:\\.|\[(?:\\.|[^]\\])*\]|[^/\\\[\n])+/"
LITERAL = re.compile(rf'"(?:\\.|[^"\\])*"|`(?:\\.|[^`\\])*`|{PATTERN}')
INDENT = re.compile(r"^[ \t]+", re.MULTILINE)


def squeeze(part: str, text: str) -> str:
    """Return a style or a script that means the same; anything else as it is."""
    if part.endswith(".css"):
        return AROUND.sub(r"\1\2", BLANK.sub(" ", COMMENT.sub("", text))).strip()
    if part.endswith(".js"):
        text = str(rjsmin.jsmin(text))
        for long, short in SHORTER:
            text = long.sub(short, text)
    return text


def short_properties(styles: Iterable[str]) -> Mapping[str, str]:
    """Return a short name for each custom property of styles that are shown together."""
    long = sorted({name for style in styles for name in PROPERTY.findall(style)})
    return {name: f"--{number:x}" for number, name in enumerate(long)}


def short_names(scripts: Iterable[str]) -> Mapping[str, str]:
    """Return short names for those that squeezed scripts declare; they run together."""
    whole = "\n".join(scripts)
    literals = " ".join(IN_TEMPLATE.sub("", found) for found in LITERAL.findall(whole))
    given = set(GIVEN.findall(whole)) - set(WORD.findall(literals))
    long = sorted(name for name in given if not re.search(NO_NAME.format(name), whole))
    return {name: f"{short}0" for name, short in zip(long, _letters(), strict=False)}


def renamed(text: str, names: Mapping[str, str]) -> str:
    """Return a style or a script with other names."""
    return WORD.sub(lambda found: names.get(found[0], found[0]), text)


def _letters() -> Iterator[str]:
    """Yield a to Z, then aa to ZZ."""
    yield from ascii_letters
    yield from map("".join, product(ascii_letters, repeat=2))


class Unindented(Extension):
    """Take the indentation out of templates; what is put into them keeps its own."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:  # noqa: ARG002
        """Return a template that means the same."""
        return INDENT.sub("", source)
