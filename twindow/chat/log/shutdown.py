"""Ending all running replies of a process when it shuts down."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Mapping
from itertools import islice

import msgspec

from twindow.chat.log import store
from twindow.chat.log.buffers import LocalBuffers
from twindow.chat.log.entries import Ended, ReplyState
from twindow.chat.log.store import store_ends
from twindow.core.db.database import Database
from twindow.core.db.errors import DatabaseUnavailable

logger = logging.getLogger(__name__)

# With one transaction per reply, ending hundreds of replies would take too long.
ENDS_PER_TRANSACTION = 50
# How long to keep trying to end replies whose rows are locked.
MAX_SECONDS = 3.0
RETRY_SECONDS = 0.1

INTERRUPTED_BY_SHUTDOWN = Ended(ReplyState.INTERRUPTED, code="shutting_down", perhaps_received=True)
INTERRUPTED_BEFORE_SENDING = msgspec.structs.replace(
    INTERRUPTED_BY_SHUTDOWN, perhaps_received=False
)


def end_running_replies(
    database: Database,
    buffers: LocalBuffers,
    end_turn: Callable[[str, Ended], object],
) -> None:
    """Interrupt all replies that have a buffer, `ENDS_PER_TRANSACTION` per transaction.

    Replies that cannot be ended together are ended one by one with `end_turn`. Replies whose rows
    stay locked are skipped: other processes end them as abandoned.
    """
    deadline = time.monotonic() + MAX_SECONDS
    ends = {
        turn_id: INTERRUPTED_BY_SHUTDOWN if buffer.forbid_requests() else INTERRUPTED_BEFORE_SENDING
        for turn_id, buffer in buffers.snapshot().items()
    }
    while ends and time.monotonic() < deadline:
        batch = dict(islice(ends.items(), ENDS_PER_TRANSACTION))
        try:
            ended_ids = _end_together(database, buffers, batch)
        except DatabaseUnavailable:
            database.clock.sleep(RETRY_SECONDS)
            continue
        except Exception:
            logger.exception("Could not end %d replies together.", len(batch))
            ended_ids = _end_one_by_one(batch, end_turn)
        if not ended_ids:
            database.clock.sleep(RETRY_SECONDS)
        # Move locked replies to the back of the queue.
        locked = {turn_id: batch[turn_id] for turn_id in batch.keys() - ended_ids}
        ends = {turn_id: ended for turn_id, ended in ends.items() if turn_id not in batch} | locked


def _end_together(
    database: Database, buffers: LocalBuffers, ends: Mapping[str, Ended]
) -> Collection[str]:
    """End the unlocked replies, and drop the buffers of deleted turns.

    Returns the ids of the ended and the deleted turns.
    """
    with database.write(durable=True) as connection:
        stored_ends = store_ends(connection, ends, buffers.snapshot())
        missing_ids = ends.keys() - store.select_existing(connection, ends.keys())
    for turn_id, ended in stored_ends.items():
        buffers.end(turn_id, ended)
    for turn_id in missing_ids:
        buffers.drop(turn_id)
    return stored_ends.keys() | missing_ids


def _end_one_by_one(
    ends: Mapping[str, Ended], end_turn: Callable[[str, Ended], object]
) -> Collection[str]:
    for turn_id, ended in ends.items():
        try:
            end_turn(turn_id, ended)
        except Exception:
            logger.exception("turn %s: could not end the reply", turn_id)
    return ends.keys()
