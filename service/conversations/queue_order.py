"""The order of the line before the model: owners take turns, and nobody waits for ever."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

IN = -1
Standings = Mapping[int, int]


@dataclass(frozen=True, slots=True)
class QueueEntry:
    """A reply in the line, waiting or being written; ids count arrivals."""

    id: int
    owner: str
    round: int
    # Whether the others of its round go first, because its owner has a place already.
    behind: bool
    writing: bool


def standing_for(owner: str, line: Sequence[QueueEntry]) -> tuple[int, bool]:
    """Return the round of a newcomer, and whether the others of that round go first.

    In a round each owner has one turn. A round that has begun takes nobody in, so that it ends.
    """
    mine = [guest for guest in line if guest.owner == owner]
    taken = [guest.round for guest in line if guest.writing or guest.owner == owner]
    queue = waiting(mine)
    return max(taken, default=0) + 1, queue[-1].behind if queue else bool(mine)


def waiting(line: Sequence[QueueEntry]) -> list[QueueEntry]:
    """Return those who wait, the next one first."""
    return sorted(
        (guest for guest in line if not guest.writing),
        key=lambda guest: (guest.round, guest.behind, guest.id),
    )


def standings(line: Sequence[QueueEntry]) -> Standings:
    """Return for each how many come before it, or IN."""
    ahead = {guest.id: number for number, guest in enumerate(waiting(line))}
    return ahead | {guest.id: IN for guest in line if guest.writing}


def next_in(line: Sequence[QueueEntry], places: int) -> list[QueueEntry]:
    """Return those who wait and have a place now."""
    free = places - sum(guest.writing for guest in line)
    return waiting(line)[: max(free, 0)]
