"""Merging of people: one gets the conversations and names of another, who is deleted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import click

from accounts import Person
from chat.adoption import move_conversations
from chat.log import Ended, ReplyState
from web.container import Portal

Pair = tuple[Person, Person]


@dataclass(frozen=True, slots=True)
class MergeCounts:
    """The conversations and the names at the proxy that a person gets."""

    conversations: int
    proxy_names: int


def require_mergeable(pairs: Sequence[Pair]) -> None:
    """Raise ClickException if somebody would be merged twice, or into a person who is deleted."""
    merged_ids = [person.id for person, _ in pairs]
    for person, into in pairs:
        if merged_ids.count(person.id) > 1 or into.id in merged_ids:
            name = into.listed_name if into.id in merged_ids else person.listed_name
            raise click.ClickException(f"{name} can be merged only once, and then gets nothing.")


def merge_people(
    portal: Portal, pairs: Sequence[Pair], *, commit: bool = False
) -> Sequence[MergeCounts]:
    """Merge the first person of each pair into the second one: all pairs, or none.

    The keys and groups of the second person stay; the replies, keys, password and sign-ins of the
    first one end. Without `commit`, only counts. Raises DatabaseUnavailable.
    """
    if commit:
        for person, _ in pairs:
            for turn_id in portal.turns.list_running(person.id):
                portal.log.end(turn_id, Ended(ReplyState.STOPPED))
            if portal.key_issuer:
                portal.key_issuer.revoke_all(person.id)
    counts = []
    with portal.database.write(durable=True) as connection:
        for person, into in pairs:
            conversation_count = move_conversations(connection, person.id, into.id)
            portal.counters.forget(connection, "person", person.id)
            name_count = portal.accounts.people.merge(connection, person, into)
            counts.append(MergeCounts(conversation_count, name_count))
        if not commit:
            connection.rollback()
    return counts
