"""Buffers of the replies that this process writes."""

from __future__ import annotations

from collections.abc import Mapping

from chat.log.buffer import LogBuffer
from chat.log.entries import Batch, Ended
from core.clock import Clock


class LocalBuffers:
    """Log buffers by turn id, from the insertion of a turn until the end of its reply.

    `unstored_ends` are ends that could not be stored yet, by turn id.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._buffers: dict[str, LogBuffer] = {}
        self.unstored_ends: dict[str, Ended] = {}

    def __contains__(self, turn_id: object) -> bool:
        """Return whether this process still has something to store for a turn."""
        return turn_id in self._buffers or turn_id in self.unstored_ends

    def __len__(self) -> int:
        """Return the number of turns with something to store."""
        return len(self._buffers) + len(self.unstored_ends)

    def open(self, turn_id: str) -> None:
        """Create the buffer of a turn."""
        self._buffers[turn_id] = LogBuffer(self._clock)

    def get(self, turn_id: str) -> LogBuffer | None:
        """Return the buffer of a turn, or None if this process does not write its reply."""
        return self._buffers.get(turn_id)

    def batch(self, turn_id: str, after: int = 0) -> Batch | None:
        """Return the entries after the cursor, or None if they are in the database only."""
        if buffer := self._buffers.get(turn_id):
            return buffer.batch(after)
        ended = self.unstored_ends.get(turn_id)
        return Batch(0, 1, (ended,)) if ended else None

    def snapshot(self) -> Mapping[str, LogBuffer]:
        """Return a copy of the buffers by turn id."""
        return dict(self._buffers)

    def end(self, turn_id: str, ended: Ended) -> None:
        """Remove the buffer of a turn, if there is one, and send `ended` to its readers."""
        if buffer := self._buffers.pop(turn_id, None):
            buffer.end(ended)

    def drop(self, turn_id: str) -> None:
        """Remove the buffer of a turn, if there is one. Its readers stop without a final entry."""
        if buffer := self._buffers.pop(turn_id, None):
            buffer.abandon()
