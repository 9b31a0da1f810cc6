"""Plain words for what msgspec refuses: they say what should stand there, from the definition."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from typing import Any

from msgspec import ValidationError, inspect

PLACE = re.compile(r"(.*?)(?: - at `\$\.?([^`]*)`)?", re.DOTALL)
STEP = re.compile(r"\[[^\]]*\]|([^.\[\]]+)")
MISSING = re.compile(r"Object missing required field `(.*)`", re.DOTALL)
UNKNOWN = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)


def plain(error: ValidationError, kind: Any) -> tuple[str, str]:
    """Return what is wrong, and why: ("temperature", "should be a number from 0 to 2").

    The first is "" for the whole; `kind` is what the value was to become.
    """
    found = PLACE.fullmatch(str(error))
    reason, place = (found[1], found[2] or "") if found else (str(error), "")
    wanted = _at(inspect.type_info(kind), place)
    if missing := MISSING.fullmatch(reason):
        return _join(place, missing[1]), "is missing"
    if unknown := UNKNOWN.fullmatch(reason):
        return _join(place, unknown[1]), _unknown(unknown[1], wanted)
    if "x00" in reason and reason.startswith("Expected") and not _described(wanted):
        return place, "should not hold NUL"
    return place, f"should be {describe(wanted)}"


def _described(kind: inspect.Type) -> bool:
    return isinstance(kind, inspect.Metadata) and "description" in (kind.extra_json_schema or {})


def describe(kind: inspect.Type) -> str:
    """Return in a few words what a value of this type is."""
    match kind:
        case inspect.Metadata(extra_json_schema={"description": words}):
            return str(words)
        case inspect.Metadata(type=inner):
            return describe(inner)
        case inspect.UnionType(types=types):
            return " or ".join(describe(t) for t in types if not isinstance(t, inspect.NoneType))
        case inspect.LiteralType(values=values):
            return " or ".join(map(str, values))
        case inspect.IntType():
            return f"a whole number{_range(kind)}"
        case inspect.FloatType():
            return f"a number{_range(kind)}"
        case inspect.StrType(min_length=1, max_length=None):
            return "text that is not empty"
        case inspect.StrType():
            return f"text{_length(kind, 'characters')}"
        case inspect.ListType():
            return f"a list{_length(kind, 'entries')}"
        case inspect.StructType(fields=fields):
            return _object([field.encode_name for field in fields if field.required])
        case inspect.BoolType():
            return "true or false"
    return f"a {type(kind).__name__.removesuffix('Type').lower()}"


def _at(kind: inspect.Type, place: str) -> inspect.Type:
    """Follow a place like `examples[1].reply` into a type."""
    for step in STEP.finditer(place):
        match _bare(kind):
            case inspect.StructType(fields=fields):
                known = (field.type for field in fields if field.encode_name == step[1])
                kind = next(known, inspect.AnyType())
            case inspect.ListType(item_type=item):
                kind = item
    return kind


def _bare(kind: inspect.Type) -> inspect.Type:
    match kind:
        case inspect.Metadata(type=inner):
            return _bare(inner)
        case inspect.UnionType(types=types):
            return next(_bare(t) for t in types if not isinstance(t, inspect.NoneType))
    return kind


def _unknown(name: str, wanted: inspect.Type) -> str:
    bare = _bare(wanted)
    known = [f.encode_name for f in bare.fields] if isinstance(bare, inspect.StructType) else []
    near = difflib.get_close_matches(name, known, 1)
    return f"is not known (did you mean {near[0]}?)" if near else "is not known"


def _range(kind: inspect.IntType | inspect.FloatType) -> str:
    """Name the bounds: ` from 0 to 2`, ` above 0 and up to 1`, ` from 1 on`, ` up to 9`."""
    high = "" if kind.le is None else _number(kind.le)
    if kind.ge is not None:
        return f" from {_number(kind.ge)} " + (f"to {high}" if high else "on")
    low = "" if kind.gt is None else f" above {_number(kind.gt)}"
    return low + (" and" if low and high else "") + (f" up to {high}" if high else "")


def _number(number: float) -> str:
    return f"{number:,}".removesuffix(".0")


def _length(kind: inspect.StrType | inspect.ListType, what: str) -> str:
    low, high = kind.min_length, kind.max_length
    if high is None:
        return f" of at least {low:,} {what}" if low else ""
    return f" of {low:,} to {high:,} {what}" if low else f" of at most {high:,} {what}"


def _object(required: Sequence[str]) -> str:
    return f"an object with {' and '.join(required)}" if required else "an object"


def _join(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name
