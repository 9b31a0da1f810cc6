"""Merging of people: one gets the conversations and names of another, who is deleted."""

from __future__ import annotations

from collections.abc import Sequence

import click

from twindow.accounts import Person
from twindow.chat.adoption import move_conversations
from twindow.chat.log import Ended, ReplyState
from twindow.web.container import Portal

Pair = tuple[Person, Person]


def require_mergeable(pairs: Sequence[Pair]) -> None:
    """Raise ClickException for people who are disabled, or named where they cannot be."""
    merged_ids = [person.id for person, _ in pairs]
    for person, into in pairs:
        if merged_ids.count(person.id) > 1 or into.id in merged_ids:
            raise click.ClickException(
                f"{person.listed_name} into {into.listed_name}: a person who is merged must not be "
                "named again."
            )
        for each in (person, into):
            if each.is_disabled:
                raise click.ClickException(f"{each.listed_name} is disabled. Enable them first.")


def merge_people(portal: Portal, pairs: Sequence[Pair]) -> None:
    """Merge the first person of each pair into the second one.

    The second person keeps their keys and groups. The first one loses everything else: running
    replies, keys with what was created with them, password, sign-ins and groups. Raises
    DatabaseUnavailable, and PersonNotFound if somebody was deleted meanwhile; then nobody is
    merged.
    """
    for person, _ in pairs:
        for turn_id in portal.turns.list_running(person.id):
            portal.log.end(turn_id, Ended(ReplyState.STOPPED))
        if portal.key_issuer:
            portal.key_issuer.revoke_all(person.id)
    with portal.database.write(durable=True) as connection:
        for person, into in pairs:
            move_conversations(connection, person.id, into.id)
            portal.counters.forget(connection, "person", person.id)
            portal.accounts.people.merge(connection, person, into)
    if portal.key_issuer:  # last, because it cannot be undone
        for person, _ in pairs:
            portal.key_issuer.erase(person.id)
