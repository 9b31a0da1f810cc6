"""Pages of lists, and opaque cursors that continue a list after its last item.

The items of a numbered page change when another item moves to the start of the list. A cursor does
not depend on earlier items, because it names the last item of the previous page.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Annotated, Any, Generic, NamedTuple, TypeVar

import msgspec

T = TypeVar("T")

CursorText = Annotated[str, msgspec.Meta(max_length=1000, pattern=r"^[^\x00]*$")]
CursorNumber = Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]


class InvalidCursor(Exception):
    """Raised for a cursor that does not belong to the list."""


class Page(NamedTuple, Generic[T]):
    """One page of a list; `total` is the number of items on all pages.

    `next_cursor` is None at the end of the list.
    """

    items: Sequence[T]
    total: int
    next_cursor: tuple[Any, ...] | None


def encode_cursor(values: tuple[Any, ...]) -> str:
    """Return the opaque text of a cursor."""
    return base64.urlsafe_b64encode(msgspec.json.encode(values)).decode().rstrip("=")


def decode_cursor(text: str, cursor_type: type[T]) -> T:
    """Return the values of a cursor. Raises InvalidCursor."""
    try:
        data = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        return msgspec.json.decode(data, type=cursor_type)
    except (ValueError, msgspec.MsgspecError, RecursionError):
        raise InvalidCursor from None
