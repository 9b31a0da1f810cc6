"""Pages of lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")


class Page(NamedTuple, Generic[T]):
    """One page of a list; `total` is the number of items on all pages."""

    items: Sequence[T]
    total: int
