"""Front matter parser: YAML with all scalars as text, and a line number for each field."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml
from yaml.composer import ComposerError

from twindow.service.twins.twin import InvalidTwinFile

FIRST_LINE_NUMBER = 2  # the front matter begins after a line with ---
LAST_PATH_SEGMENT = re.compile(r"(\.?[^.\[\]]+|\[\d+\])\Z")
NEEDS_QUOTES_HINT = "text that begins with {} must be quoted"

# YAML errors, each with a hint about its most common cause.
YAML_ERROR_HINTS = (
    (r"mapping values are not allowed here", "text that contains a colon must be quoted"),
    (r"found character '\\t'.*", "indent with spaces, not with tabs"),
    (r"found character '(.)'.*", NEEDS_QUOTES_HINT.format(r"\1")),
    (r"expected alphabetic or numeric .*", NEEDS_QUOTES_HINT.format("* or &")),
    (r"could not find expected ':'", "expected a field as name: value"),
    (r"found unexpected end of stream", "the quotation mark is not closed"),
    (r"expected ',' or '(.)', but got .*", r"the closing \1 is missing"),
)


@dataclass(frozen=True, slots=True)
class Fields:
    """Parsed front matter: `values` for msgspec, and the line number of each field path."""

    values: Mapping[str, Any]
    lines: Mapping[str, int]

    def line_of(self, field_path: str) -> int:
        """Return the line of a field path like `examples[1].reply`, or of its nearest parent."""
        while field_path and field_path not in self.lines:
            field_path = (
                LAST_PATH_SEGMENT.sub("", field_path)
                if LAST_PATH_SEGMENT.search(field_path)
                else ""
            )
        return self.lines.get(field_path, 1)


def parse(text: str) -> Fields:
    """Parse front matter. Raises InvalidTwinFile."""
    lines: dict[str, int] = {}
    try:
        node = yaml.compose(text, Loader=_Loader)
        if node and not isinstance(node, yaml.MappingNode):
            raise InvalidTwinFile(f"line {_line_number(node)}: expected a field as name: value.")
        return Fields(_value(node, "", lines) if node else {}, lines)
    except yaml.MarkedYAMLError as error:
        raise _to_invalid_twin_file(error) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + FIRST_LINE_NUMBER
        raise InvalidTwinFile(f"line {line}: control characters are not allowed.") from None
    except (ValueError, OverflowError):
        raise InvalidTwinFile("line 1: invalid Unicode character.") from None
    except RecursionError:
        raise InvalidTwinFile("line 1: the front matter is nested too deeply.") from None


class _Loader(yaml.BaseLoader):
    """Loader that reads every scalar as text, so that a name can be `1984` or `No`."""

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """Reject aliases, anchors and tags.

        Ten lines of aliases can exhaust the memory. YAML would remove anchors and tags, such as
        &word and !word, from the text.
        """
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]
        is_alias = isinstance(event, yaml.AliasEvent)
        indicator = "*" if is_alias else "&" if event.anchor else "!" if event.tag else ""
        if indicator:
            raise ComposerError(None, None, NEEDS_QUOTES_HINT.format(indicator), event.start_mark)
        return super().compose_node(parent, index)


def _value(node: yaml.Node, field_path: str, lines: dict[str, int]) -> Any:
    if field_path:
        lines.setdefault(field_path, _line_number(node))
    if isinstance(node, yaml.SequenceNode):
        return [
            _value(item, f"{field_path}[{number}]", lines) for number, item in enumerate(node.value)
        ]
    if not isinstance(node, yaml.MappingNode):
        return _text(node)
    values: dict[str, Any] = {}
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise InvalidTwinFile(f"line {_line_number(key)}: expected a field as name: value.")
        name = _text(key)
        child_path = f"{field_path}.{name}" if field_path else name
        if name in values:
            raise InvalidTwinFile(
                f"line {_line_number(key)}: {child_path} is already in line {lines[child_path]}."
            )
        lines[child_path] = _line_number(key)
        values[name] = _value(value, child_path, lines)
    return values


def is_storable_text(text: str) -> bool:
    """Return whether UTF-8 and a database can store the text: no NUL, no lone surrogates."""
    return "\0" not in text and not any("\ud800" <= letter <= "\udfff" for letter in text)


def _text(node: yaml.Node) -> str:
    text = str(node.value)
    if not is_storable_text(text):  # escapes in quoted text can produce NUL or surrogates
        raise InvalidTwinFile(f"line {_line_number(node)}: control characters are not allowed.")
    return text


def _line_number(node: yaml.Node) -> int:
    return int(node.start_mark.line) + FIRST_LINE_NUMBER


def _to_invalid_twin_file(error: yaml.MarkedYAMLError) -> InvalidTwinFile:
    problem = error.problem or "this is not valid YAML"
    # Report an unclosed quote or bracket where it begins, not where the parser notices it.
    is_unclosed = re.search("flow|quoted", error.context or "")
    mark = error.context_mark if is_unclosed else error.problem_mark
    for pattern, hint in YAML_ERROR_HINTS:
        problem = re.sub(f"{pattern}\\Z", hint, problem)
    return InvalidTwinFile(f"line {mark.line + FIRST_LINE_NUMBER if mark else 1}: {problem}.")
