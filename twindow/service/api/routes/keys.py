"""API keys."""

from __future__ import annotations

from flask import Response, url_for

from twindow.service.api import schemas, serializers
from twindow.service.api.blueprint import build_page, operations
from twindow.service.api.errors import ApiError, not_found_error
from twindow.service.api.operations import created_response
from twindow.service.api.requests import NewApiKey, PageQuery
from twindow.service.api.schemas import ItemResponse, PageResponse
from twindow.service.container import container
from twindow.service.credentials import Identity, TooManyKeys


@operations.route(
    "POST",
    "/auth/api-keys",
    spec_number=7,
    required_credential="a JWT",
    body=NewApiKey,
    response_type=ItemResponse[schemas.ApiKeyWithSecret],
    status=201,
)
def create_key(caller: Identity, body: NewApiKey) -> Response:
    """Create an API key; its secret is returned only once."""
    expires_at = container().database.clock.time() + body.expires_in if body.expires_in else None
    try:
        key, secret = container().api_keys.create(
            caller.sub,
            body.name,
            body.scope,
            groups=caller.groups,
            expires_at=expires_at,
        )
    except TooManyKeys as error:
        raise ApiError(409, "too_many_keys", str(error)) from None
    url = url_for("service.revoke_key", key_id=key.id)
    return created_response(ItemResponse(data=serializers.api_key_with_secret(key, secret)), url)


@operations.route(
    "GET",
    "/auth/api-keys",
    required_credential="a JWT",
    query=PageQuery,
    response_type=PageResponse[schemas.ApiKey],
)
def list_keys(caller: Identity, query: PageQuery) -> PageResponse[schemas.ApiKey]:
    """List your API keys, newest first."""
    page = container().api_keys.list_page(caller.sub, query.page, query.limit)
    return build_page(page, serializers.api_key, query)


@operations.route("DELETE", "/auth/api-keys/<key_id>", required_credential="a JWT", status=204)
def revoke_key(caller: Identity, key_id: str) -> None:
    """Revoke an API key."""
    if not container().api_keys.revoke(caller.sub, key_id):
        raise not_found_error()
