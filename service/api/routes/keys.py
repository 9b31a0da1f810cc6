"""API keys: endpoint 7."""

from __future__ import annotations

from service.access.api_keys import TooManyKeys
from service.api import schemas, serializers
from service.api.auth import Caller
from service.api.blueprint import operations, page_of
from service.api.errors import Problem, not_found
from service.api.requests import NewKey, Paging
from service.api.schemas import One, Page
from service.container import parts


@operations.add(
    "POST",
    "/auth/api-keys",
    number=7,
    needs="a JWT",
    body=NewKey,
    answer=One[schemas.NewApiKey],
    status=201,
    also=(409,),
)
def create_key(caller: Caller, new: NewKey) -> One[schemas.NewApiKey]:
    """Make an API key; its secret is shown this once."""
    until = parts().database.clock.time() + new.expires_in if new.expires_in else None
    try:
        key, secret = parts().keys.make(
            caller.sub, new.name, new.scope, groups=caller.groups, expires_at=until
        )
    except TooManyKeys as error:
        raise Problem(409, "too_many_keys", str(error)) from None
    return One(data=serializers.new_key(key, secret))


@operations.add("GET", "/auth/api-keys", needs="a JWT", query=Paging, answer=Page[schemas.ApiKey])
def list_keys(caller: Caller, query: Paging) -> Page[schemas.ApiKey]:
    """List your API keys, newest first."""
    listed, total = parts().keys.of(caller.sub, query.page, query.limit)
    return page_of(listed, serializers.key, query, total)


@operations.add("DELETE", "/auth/api-keys/<key_id>", needs="a JWT", status=204)
def revoke_key(caller: Caller, key_id: str) -> None:
    """Revoke one of your API keys; it is worth nothing from now on."""
    if not parts().keys.revoke(caller.sub, key_id):
        raise not_found()
