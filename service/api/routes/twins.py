"""Twins: endpoints 1 and 2."""

from __future__ import annotations

from service.api import schemas, serializers
from service.api.auth import Caller
from service.api.blueprint import operations, page_of, twin_for
from service.api.requests import Paging
from service.api.schemas import One, Page
from service.container import parts


@operations.add(
    "GET", "/twins", number=1, needs="read_only", query=Paging, answer=Page[schemas.Twin]
)
def list_twins(caller: Caller, query: Paging) -> Page[schemas.Twin]:
    """List the twins that you may talk with."""
    twins = parts().twins.all_for(caller.sub, caller.groups)
    start = (query.page - 1) * query.limit
    return page_of(twins[start : start + query.limit], serializers.twin, query, len(twins))


@operations.add(
    "GET", "/twins/<path:twin_id>", number=2, needs="read_only", answer=One[schemas.Twin]
)
def show_twin(caller: Caller, twin_id: str) -> One[schemas.Twin]:
    """Read one twin."""
    return One(data=serializers.twin(twin_for(caller, twin_id)))
