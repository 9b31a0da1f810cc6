"""Twins: endpoints 1 and 2."""

from __future__ import annotations

from service import resources, shown
from service.auth import Caller
from service.bodies import Paging
from service.current import parts
from service.endpoints.api import operations, page_of, twin_for
from service.resources import One, Page


@operations.add(
    "GET", "/twins", number=1, needs="read_only", query=Paging, answer=Page[resources.Twin]
)
def list_twins(caller: Caller, query: Paging) -> Page[resources.Twin]:
    """List the twins that you may talk with."""
    twins = parts().twins.all_for(caller.sub, caller.groups)
    start = (query.page - 1) * query.limit
    return page_of(twins[start : start + query.limit], shown.twin, query, len(twins))


@operations.add(
    "GET", "/twins/<path:twin_id>", number=2, needs="read_only", answer=One[resources.Twin]
)
def show_twin(caller: Caller, twin_id: str) -> One[resources.Twin]:
    """Read one twin."""
    return One(data=shown.twin(twin_for(caller, twin_id)))
