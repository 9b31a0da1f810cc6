"""Twins that the current person may use. Other twins look as if they did not exist."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from flask import g

from twindow.chat.twins import TwinList
from twindow.core.twin_groups import TwinAccess
from twindow.twinapi import NotFound, Twin
from twindow.web.container import portal
from twindow.web.person.current_person import signed_in_person


def twin_access() -> TwinAccess:
    """Return which twins the person of the current request may use. Visitors are in no group."""
    if "twin_access" not in g:
        person = signed_in_person()
        g.twin_access = portal().twin_access(person.groups if person else ())
    access: TwinAccess = g.twin_access
    return access


def list_twins() -> TwinList:
    """Return the list of twins without those that the person may not use. Raises TwinApiError."""
    twin_list, access = portal().catalogue.list(), twin_access()
    twins = [twin for twin in twin_list.twins if access.allows(twin.id)]
    return replace(twin_list, twins=twins)


def find_twin(twin_id: str) -> Twin:
    """Return a twin. Raises NotFound if the person may not use it, or another TwinApiError."""
    access = twin_access()
    if not access.allows(twin_id):
        raise NotFound(404)
    twin = portal().catalogue.find(twin_id)
    if not access.allows(twin.id):  # the service may ignore the case of ids
        raise NotFound(404)
    return twin


def find_cached_twin(twin_id: str) -> Twin | None:
    """Return a twin from the cache, or None. The service is not called."""
    return portal().catalogue.find_cached(twin_id) if twin_access().allows(twin_id) else None


def cached_twins() -> Mapping[str, Twin]:
    """Return the cached twins by id. The service is not called."""
    twins, access = portal().catalogue.all_cached(), twin_access()
    if access.is_unlimited:
        return twins
    return {twin_id: twin for twin_id, twin in twins.items() if access.allows(twin_id)}


def is_missing(twin_id: str) -> bool:
    """Return whether the cached list is complete and lacks the twin. The service is not called."""
    return portal().catalogue.is_missing(twin_id)
