"""Access to the service with one credential: the portal's key, or a person's key or JWT."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from chat.conversations import Conversations
from chat.limits import Limits, ServiceQuota
from chat.log import Log
from chat.reply_worker import ReplyWorker
from chat.turns import Turns
from chat.twins import TwinCatalogue
from twinapi import Client

MAX_PEOPLE = 500


@dataclass(frozen=True, slots=True)
class ServiceAccess:
    """Objects that use the service with one credential."""

    client: Client
    catalogue: TwinCatalogue
    quota: ServiceQuota
    limits: Limits
    turns: Turns
    reply_worker: ReplyWorker


def build_service_access(
    client: Client,
    catalogue: TwinCatalogue,
    quota: ServiceQuota,
    limits: Limits,
    conversations: Conversations,
    log: Log,
    secret_key: str,
) -> ServiceAccess:
    """Build the objects that use the service with the credential of `client`."""
    turns = Turns(log.database, log, limits, secret_key)
    worker = ReplyWorker(conversations, log, catalogue, quota)
    return ServiceAccess(client, catalogue, quota, limits, turns, worker)


class PersonalAccess:
    """Service access with people's own keys and JWTs. Each person has their own limits and twins.

    The credentials of the last `MAX_PEOPLE` are remembered in this process, and stored nowhere.
    """

    def __init__(self, build: Callable[[str, str], ServiceAccess]) -> None:
        self._build = build
        self._accesses: OrderedDict[str, tuple[str, ServiceAccess]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, person_id: str, credential: str) -> ServiceAccess:
        """Return the `ServiceAccess` for a person's key or JWT.

        After a change of the credential, the person keeps the list of twins until the list is due
        for a refresh.
        """
        with self._lock:
            known_credential, access = self._accesses.get(person_id, ("", None))
            if access is None or known_credential != credential:
                previous, access = access, self._build(person_id, credential)
                if previous:
                    access.catalogue.continue_from(previous.catalogue)
                self._accesses[person_id] = credential, access
            self._accesses.move_to_end(person_id)
            if len(self._accesses) > MAX_PEOPLE:
                self._accesses.popitem(last=False)
            return access
