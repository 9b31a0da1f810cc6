"""Access of the current person to the service, with the portal's credential or their own."""

from __future__ import annotations

from flask import g

from chat.service_access import ServiceAccess
from web.container import portal
from web.person.current_person import is_from_proxy, signed_in_person
from web.person.proxy_identity import proxy_token


def service_access() -> ServiceAccess:
    """Return the person's access to the service: with their own credential or the portal's key."""
    if "service_access" not in g:
        g.service_access = _find_access()
    access: ServiceAccess = g.service_access
    return access


def _find_access() -> ServiceAccess:
    person = signed_in_person()
    if person and is_from_proxy() and portal().settings.proxy_token_header:
        # Without a valid token, the service refuses the requests. The portal's key is not used
        # instead, because it may have access to more.
        return portal().personal_access.get(person.id, proxy_token())
    return portal().service
