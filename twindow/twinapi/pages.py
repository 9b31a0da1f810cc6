"""Pages of lists, in the shapes that services use."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from twindow.twinapi.errors import UnexpectedResponse

T = TypeVar("T")

# Names of pagination fields, in lower case and without underscores.
_PAGE = ("page", "currentpage")
_PAGES = ("pages", "totalpages", "lastpage", "pagecount")
_HAS_MORE = ("hasnext", "hasmore", "hasnextpage")
_TOTAL = ("total", "totalcount", "totalitems", "totalelements")


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """A page of a list.

    `has_more` says whether there is another page; it is None if the response does not say so.
    `total` is the number of items on all pages, or None. `skipped_count` is the number of items
    that could not be parsed.
    """

    items: Sequence[T]
    has_more: bool | None = None
    total: int | None = None
    skipped_count: int = 0


def parse_page(payload: object, parse: Callable[[object], T | None]) -> Page[T]:
    """Parse a page: an array, or an object that contains one, alone or in `data`.

    Raises UnexpectedResponse.
    """
    data = payload.get("data", payload) if isinstance(payload, Mapping) else payload
    if isinstance(data, Mapping):
        data = next((value for value in data.values() if isinstance(value, list)), None)
    if not isinstance(data, list):
        raise UnexpectedResponse(200)
    items = [item for raw_item in data if (item := parse(raw_item)) is not None]
    fields = dict(_pagination_fields(payload))
    total = _number(fields, _TOTAL)
    return Page(items, _has_more(fields), total, skipped_count=len(data) - len(items))


def _has_more(fields: Mapping[str, Any]) -> bool | None:
    page, pages = _number(fields, _PAGE), _number(fields, _PAGES)
    if page is not None and pages is not None:
        return page < pages
    return next((value for name in _HAS_MORE if isinstance(value := fields.get(name), bool)), None)


def _number(fields: Mapping[str, Any], names: Sequence[str]) -> int | None:
    return next((value for name in names if type(value := fields.get(name)) is int), None)


def _pagination_fields(payload: object) -> Iterator[tuple[str, Any]]:
    """Yield the fields of a response and of the objects within it, by simplified names."""
    if isinstance(payload, Mapping):
        for name, value in payload.items():
            yield from _pagination_fields(value)
            yield str(name).lower().replace("_", ""), value
