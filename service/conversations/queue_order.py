"""Order of the queue before the model: round-robin over owners, without starvation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

IN = -1
Standings = Mapping[int, int]


@dataclass(frozen=True, slots=True)
class QueueEntry:
    """A reply in the queue, waiting or being written. Ids ascend in order of arrival."""

    id: int
    owner: str
    round: int
    # Whether the others of its round go first, because its owner already has a slot.
    behind: bool
    writing: bool


def standing_for(owner: str, line: Sequence[QueueEntry]) -> tuple[int, bool]:
    """Return the round of a new entry, and whether the others of that round go first.

    Each owner has one entry per round. A round that has started accepts no new entries, so that
    it ends.
    """
    mine = [guest for guest in line if guest.owner == owner]
    taken = [guest.round for guest in line if guest.writing or guest.owner == owner]
    queue = waiting(mine)
    return max(taken, default=0) + 1, queue[-1].behind if queue else bool(mine)


def waiting(line: Sequence[QueueEntry]) -> list[QueueEntry]:
    """Return the waiting entries, the next one first."""
    return sorted(
        (guest for guest in line if not guest.writing),
        key=lambda guest: (guest.round, guest.behind, guest.id),
    )


def standings(line: Sequence[QueueEntry]) -> Standings:
    """Return the number of entries ahead by entry id; IN for entries that have a slot."""
    ahead = {guest.id: number for number, guest in enumerate(waiting(line))}
    return ahead | {guest.id: IN for guest in line if guest.writing}


def next_in(line: Sequence[QueueEntry], places: int) -> list[QueueEntry]:
    """Return the waiting entries for which a slot is free; `places` is the number of slots."""
    free = places - sum(guest.writing for guest in line)
    return waiting(line)[: max(free, 0)]
