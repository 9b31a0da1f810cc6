"""Access of the current person to the service, with the portal's credential or their own."""

from __future__ import annotations

from flask import g

from chat.service_access import ServiceAccess
from web.container import portal
from web.current_person import is_from_proxy, signed_in_person
from web.proxy_identity import proxy_token
from web.session_key import read_key


def service_access() -> ServiceAccess:
    """Return the access to the service that the current person has."""
    if "service_access" not in g:
        g.service_access = _find_access()
    access: ServiceAccess = g.service_access
    return access


def _find_access() -> ServiceAccess:
    person = signed_in_person()
    if person is None:
        return portal().service
    credential = proxy_token() if is_from_proxy() else read_key()
    return portal().personal_access.get(person.id, credential) if credential else portal().service
