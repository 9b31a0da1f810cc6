"""Front matter: YAML in which each value is text, and each field knows its line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml
from yaml.composer import ComposerError

from service.twins.twin import BrokenTwin

FIRST_LINE = 2  # above it stands ---
LAST_STEP = re.compile(r"(\.?[^.\[\]]+|\[\d+\])\Z")
NEEDS_QUOTES = "text that begins with {} needs quotes around it"

# What YAML says of the mistakes that are made most, and what should be done.
PLAIN_WORDS = (
    (r"mapping values are not allowed here", "text with a colon in it needs quotes around it"),
    (r"found character '\\t'.*", "indent with spaces, not with tabs"),
    (r"found character '(.)'.*", NEEDS_QUOTES.format(r"\1")),
    (r"expected alphabetic or numeric .*", NEEDS_QUOTES.format("* or &")),
    (r"could not find expected ':'", "a field is written as name: value"),
    (r"found unexpected end of stream", "the quotation mark here is not closed"),
    (r"expected ',' or '(.)', but got .*", r"the \1 to the bracket here is missing"),
)


@dataclass(frozen=True, slots=True)
class Fields:
    """What was read: `values` for msgspec, and the line of each place in them."""

    values: Mapping[str, Any]
    lines: Mapping[str, int]

    def line(self, place: str) -> int:
        """Return the line of a place like `examples[1].reply`, or of the nearest around it."""
        while place and place not in self.lines:
            place = LAST_STEP.sub("", place) if LAST_STEP.search(place) else ""
        return self.lines.get(place, 1)


def parse(text: str) -> Fields:
    """Read front matter. Raises BrokenTwin."""
    lines: dict[str, int] = {}
    try:
        node = yaml.compose(text, Loader=_Loader)
        if node and not isinstance(node, yaml.MappingNode):
            raise BrokenTwin(f"line {_line(node)}: a field is written as name: value.")
        return Fields(_value(node, "", lines) if node else {}, lines)
    except yaml.MarkedYAMLError as error:
        raise _broken(error) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + FIRST_LINE
        raise BrokenTwin(f"line {line}: there is a control character.") from None
    except (ValueError, OverflowError):
        raise BrokenTwin("line 1: there is a character that does not exist.") from None
    except RecursionError:
        raise BrokenTwin("line 1: the front matter is nested too deeply.") from None


class _Loader(yaml.BaseLoader):
    """Take every value for text, so that a name may be `1984` or `No`."""

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """Refuse aliases: ten lines of them could fill the memory. Marks would swallow words."""
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]
        alias = isinstance(event, yaml.AliasEvent)
        mark = "*" if alias else "&" if event.anchor else "!" if event.tag else ""
        if mark:
            raise ComposerError(None, None, NEEDS_QUOTES.format(mark), event.start_mark)
        return super().compose_node(parent, index)


def _value(node: yaml.Node, place: str, lines: dict[str, int]) -> Any:
    if place:
        lines.setdefault(place, _line(node))
    if isinstance(node, yaml.SequenceNode):
        return [_value(item, f"{place}[{number}]", lines) for number, item in enumerate(node.value)]
    if not isinstance(node, yaml.MappingNode):
        return _text(node)
    values: dict[str, Any] = {}
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise BrokenTwin(f"line {_line(key)}: a field is written as name: value.")
        name = _text(key)
        field = f"{place}.{name}" if place else name
        if name in values:
            raise BrokenTwin(f"line {_line(key)}: {field} is in line {lines[field]} already.")
        lines[field] = _line(key)
        values[name] = _value(value, field, lines)
    return values


def is_text(text: str) -> bool:
    """Tell whether JSON in UTF-8 and a database can hold it."""
    return "\0" not in text and not any("\ud800" <= letter <= "\udfff" for letter in text)


def _text(node: yaml.Node) -> str:
    text = str(node.value)
    if not is_text(text):  # quotes can smuggle it in
        raise BrokenTwin(f"line {_line(node)}: there is a control character.")
    return text


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + FIRST_LINE


def _broken(error: yaml.MarkedYAMLError) -> BrokenTwin:
    problem = error.problem or "this is no YAML"
    # What is never closed is noticed later; who wrote it has to look where it begins.
    open_there = re.search("flow|quoted", error.context or "")
    mark = error.context_mark if open_there else error.problem_mark
    for said, plain in PLAIN_WORDS:
        problem = re.sub(f"{said}\\Z", plain, problem)
    return BrokenTwin(f"line {mark.line + FIRST_LINE if mark else 1}: {problem}.")
