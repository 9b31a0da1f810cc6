"""What the endpoints share: where they are, what may be found, and how lists are written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from flask import Blueprint

from service.api.auth import Caller
from service.api.errors import not_found
from service.api.operations import Operations
from service.api.requests import Paging
from service.api.schemas import Page, Pagination
from service.container import parts
from service.conversations.conversations import Conversation
from service.twins.twin import Twin

bp = Blueprint("service", __name__, url_prefix="/api/v1")
operations = Operations(bp)

T = TypeVar("T")
R = TypeVar("R")


def found(thing: T | None) -> T:
    """Return what was found. Raises Problem where there is nothing, or nothing of the caller's."""
    if thing is None:
        raise not_found()
    return thing


def twin_for(caller: Caller, twin_id: str) -> Twin:
    """Return a twin that the caller may see. Raises Problem."""
    return found(parts().twins.find_for(twin_id, caller.sub, caller.groups))


def conversation_of(caller: Caller, conversation_id: str) -> Conversation:
    """Return a conversation of the caller's. Raises Problem."""
    return found(parts().conversations.find(conversation_id, caller.sub))


def page_of(items: Sequence[T], write: Callable[[T], R], query: Paging, total: int) -> Page[R]:
    """Return one page of a list, as it is shown."""
    pages = -(-total // query.limit)
    pagination = Pagination(page=query.page, limit=query.limit, total=total, pages=pages)
    return Page(data=[write(item) for item in items], pagination=pagination)
