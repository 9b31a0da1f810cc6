"""Plain messages for msgspec validation errors, which describe the expected type."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from typing import Any

from msgspec import ValidationError, inspect

MSGSPEC_ERROR = re.compile(r"(.*?)(?: - at `\$\.?([^`]*)`)?", re.DOTALL)
PATH_STEP = re.compile(r"\[[^\]]*\]|([^.\[\]]+)")
MISSING_FIELD = re.compile(r"Object missing required field `(.*)`", re.DOTALL)
UNKNOWN_FIELD = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)


def explain(error: ValidationError, target: Any) -> tuple[str, str]:
    """Return the invalid field and the reason: ("temperature", "should be a number from 0 to 2").

    The field is "" if the whole value is invalid. `target` is the type that the value should
    convert to.
    """
    match = MSGSPEC_ERROR.fullmatch(str(error))
    reason, path = (match[1], match[2] or "") if match else (str(error), "")
    expected = _type_at(inspect.type_info(target), path)
    if missing := MISSING_FIELD.fullmatch(reason):
        return _join_path(path, missing[1]), "is missing"
    if unknown := UNKNOWN_FIELD.fullmatch(reason):
        return _join_path(path, unknown[1]), _explain_unknown_field(unknown[1], expected)
    if "x00" in reason and reason.startswith("Expected") and not _has_description(expected):
        return path, "must not contain NUL"
    return path, f"should be {describe_type(expected)}"


def _has_description(kind: inspect.Type) -> bool:
    return isinstance(kind, inspect.Metadata) and "description" in (kind.extra_json_schema or {})


def describe_type(kind: inspect.Type) -> str:
    """Describe a value of this type in a few words."""
    match kind:
        case inspect.Metadata(extra_json_schema={"description": description}):
            return str(description)
        case inspect.Metadata(type=inner):
            return describe_type(inner)
        case inspect.UnionType(types=types):
            return " or ".join(
                describe_type(t) for t in types if not isinstance(t, inspect.NoneType)
            )
        case inspect.LiteralType(values=values):
            return " or ".join(map(str, values))
        case inspect.IntType():
            return f"a whole number{_describe_range(kind)}"
        case inspect.FloatType():
            return f"a number{_describe_range(kind)}"
        case inspect.StrType(min_length=1, max_length=None):
            return "text that is not empty"
        case inspect.StrType():
            return f"text{_describe_length(kind, 'characters')}"
        case inspect.ListType():
            return f"a list{_describe_length(kind, 'entries')}"
        case inspect.StructType(fields=fields):
            return _describe_object([field.encode_name for field in fields if field.required])
        case inspect.BoolType():
            return "true or false"
    return f"a {type(kind).__name__.removesuffix('Type').lower()}"


def _type_at(kind: inspect.Type, path: str) -> inspect.Type:
    """Return the type at a path such as `examples[1].reply`."""
    for step in PATH_STEP.finditer(path):
        match _unwrap(kind):
            case inspect.StructType(fields=fields):
                field_types = (field.type for field in fields if field.encode_name == step[1])
                kind = next(field_types, inspect.AnyType())
            case inspect.ListType(item_type=item):
                kind = item
    return kind


def _unwrap(kind: inspect.Type) -> inspect.Type:
    match kind:
        case inspect.Metadata(type=inner):
            return _unwrap(inner)
        case inspect.UnionType(types=types):
            return next(_unwrap(t) for t in types if not isinstance(t, inspect.NoneType))
    return kind


def _explain_unknown_field(name: str, expected: inspect.Type) -> str:
    unwrapped = _unwrap(expected)
    field_names = (
        [f.encode_name for f in unwrapped.fields]
        if isinstance(unwrapped, inspect.StructType)
        else []
    )
    close_matches = difflib.get_close_matches(name, field_names, 1)
    return f"is not known (did you mean {close_matches[0]}?)" if close_matches else "is not known"


def _describe_range(kind: inspect.IntType | inspect.FloatType) -> str:
    """Describe the bounds: ` from 0 to 2`, ` above 0 and up to 1`, ` from 1 on`, ` up to 9`."""
    high = "" if kind.le is None else _format_number(kind.le)
    if kind.ge is not None:
        return f" from {_format_number(kind.ge)} " + (f"to {high}" if high else "on")
    low = "" if kind.gt is None else f" above {_format_number(kind.gt)}"
    return low + (" and" if low and high else "") + (f" up to {high}" if high else "")


def _format_number(number: float) -> str:
    return f"{number:,}".removesuffix(".0")


def _describe_length(kind: inspect.StrType | inspect.ListType, unit: str) -> str:
    low, high = kind.min_length, kind.max_length
    if high is None:
        return f" of at least {low:,} {unit}" if low else ""
    return f" of {low:,} to {high:,} {unit}" if low else f" of at most {high:,} {unit}"


def _describe_object(required: Sequence[str]) -> str:
    return f"an object with {' and '.join(required)}" if required else "an object"


def _join_path(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
