"""API keys: endpoint 7."""

from __future__ import annotations

from service import resources, shown
from service.auth import Caller
from service.bodies import NewKey, Paging
from service.current import parts
from service.endpoints.api import operations, page_of
from service.errors import Problem, not_found
from service.keys import TooManyKeys
from service.resources import One, Page


@operations.add(
    "POST",
    "/auth/api-keys",
    number=7,
    needs="a JWT",
    body=NewKey,
    answer=One[resources.NewApiKey],
    status=201,
    also=(409,),
)
def create_key(caller: Caller, new: NewKey) -> One[resources.NewApiKey]:
    """Make an API key; its secret is shown this once."""
    until = parts().database.clock.time() + new.expires_in if new.expires_in else None
    try:
        key, secret = parts().keys.make(
            caller.sub, new.name, new.scope, groups=caller.groups, expires_at=until
        )
    except TooManyKeys as error:
        raise Problem(409, "too_many_keys", str(error)) from None
    return One(data=shown.new_key(key, secret))


@operations.add("GET", "/auth/api-keys", needs="a JWT", query=Paging, answer=Page[resources.ApiKey])
def list_keys(caller: Caller, query: Paging) -> Page[resources.ApiKey]:
    """List your API keys, newest first."""
    listed, total = parts().keys.of(caller.sub, query.page, query.limit)
    return page_of(listed, shown.key, query, total)


@operations.add("DELETE", "/auth/api-keys/<key_id>", needs="a JWT", status=204)
def revoke_key(caller: Caller, key_id: str) -> None:
    """Revoke one of your API keys; it is worth nothing from now on."""
    if not parts().keys.revoke(caller.sub, key_id):
        raise not_found()
