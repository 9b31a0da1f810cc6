"""Twins that the current person may use. Other twins look as if they did not exist."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from flask import g

from twindow.chat.catalogue import TwinList
from twindow.core.twin_groups import TwinPermissions
from twindow.twinapi import NotFound, Twin
from twindow.web.container import portal
from twindow.web.person.current_person import signed_in_person


def twin_permissions() -> TwinPermissions:
    """Return which twins the person of the current request may use. Visitors are in no group."""
    if "twin_permissions" not in g:
        person = signed_in_person()
        g.twin_permissions = portal().twin_permissions(person.groups if person else ())
    permissions: TwinPermissions = g.twin_permissions
    return permissions


def list_twins() -> TwinList:
    """Return the list of twins without those that the person may not use. Raises TwinApiError."""
    twin_list, permissions = portal().catalogue.list(), twin_permissions()
    twins = [twin for twin in twin_list.twins if permissions.allows(twin.id)]
    return replace(twin_list, twins=twins)


def find_twin(twin_id: str) -> Twin:
    """Return a twin. Raises NotFound if the person may not use it, or another TwinApiError."""
    permissions = twin_permissions()
    if not permissions.allows(twin_id):
        raise NotFound(404)
    twin = portal().catalogue.find(twin_id)
    if not permissions.allows(twin.id):  # the service may ignore the case of ids
        raise NotFound(404)
    return twin


def find_cached_twin(twin_id: str) -> Twin | None:
    """Return a twin from the cache, or None. The service is not called."""
    return portal().catalogue.find_cached(twin_id) if twin_permissions().allows(twin_id) else None


def cached_twins() -> Mapping[str, Twin]:
    """Return the cached twins by id. The service is not called."""
    twins, permissions = portal().catalogue.all_cached(), twin_permissions()
    if permissions.is_unlimited:
        return twins
    return {twin_id: twin for twin_id, twin in twins.items() if permissions.allows(twin_id)}
