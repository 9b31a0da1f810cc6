"""Blueprint of the API, with look-ups and pagination shared by the routes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from flask import Blueprint

from twindow.service.api.errors import not_found_error
from twindow.service.api.operations import Operations
from twindow.service.api.requests import PageQuery
from twindow.service.api.schemas import PageResponse, Pagination
from twindow.service.container import container
from twindow.service.conversations import Conversation
from twindow.service.credentials import Identity
from twindow.service.pagination import Page
from twindow.service.twins import Twin

bp = Blueprint("service", __name__, url_prefix="/api/v1")
operations = Operations(bp)

T = TypeVar("T")
R = TypeVar("R")


def or_404(value: T | None) -> T:
    """Return the value. Raises ApiError (404) if the value is None."""
    if value is None:
        raise not_found_error()
    return value


def get_twin(caller: Identity, twin_id: str) -> Twin:
    """Return a twin that the caller may see. Raises ApiError (404)."""
    return or_404(container().twins.find_visible_to(twin_id, caller.sub, caller.groups))


def get_conversation(caller: Identity, conversation_id: str) -> Conversation:
    """Return a conversation of the caller. Raises ApiError (404)."""
    return or_404(container().conversations.find(conversation_id, caller.sub))


def build_page(page: Page[T], serialize: Callable[[T], R], query: PageQuery) -> PageResponse[R]:
    """Return the response for one page of a list."""
    pagination = Pagination(
        page=query.page,
        limit=query.limit,
        total=page.total,
        pages=-(-page.total // query.limit),
    )
    return PageResponse(data=[serialize(item) for item in page.items], pagination=pagination)
