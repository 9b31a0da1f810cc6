"""AI twins: configured assistants."""

from __future__ import annotations

from twindow.service.api import schemas, serializers
from twindow.service.api.blueprint import build_page, get_twin, operations
from twindow.service.api.requests import PageQuery
from twindow.service.api.schemas import ItemResponse, PageResponse
from twindow.service.container import container
from twindow.service.credentials import Identity


@operations.route(
    "GET",
    "/twins",
    spec_number=1,
    required_credential="read_only",
    query=PageQuery,
    response_type=PageResponse[schemas.Twin],
)
def list_twins(caller: Identity, query: PageQuery) -> PageResponse[schemas.Twin]:
    """List the twins that you can access."""
    page = container().twins.list_page(caller.sub, caller.groups, query.page, query.limit)
    return build_page(page, serializers.twin, query)


@operations.route(
    "GET",
    "/twins/<path:twin_id>",
    spec_number=2,
    required_credential="read_only",
    response_type=ItemResponse[schemas.Twin],
)
def show_twin(caller: Identity, twin_id: str) -> ItemResponse[schemas.Twin]:
    """Retrieve a twin."""
    return ItemResponse(data=serializers.twin(get_twin(caller, twin_id)))
