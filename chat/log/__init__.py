"""Append-only log of each reply."""

from chat.log import entries
from chat.log.entries import Batch, Delta, Ended, Entry, Progress, Reply, ReplyState, build_reply
from chat.log.log import Log
from chat.log.shutdown import INTERRUPTED_BEFORE_SENDING
from chat.log.store import read_ends

__all__ = [
    "INTERRUPTED_BEFORE_SENDING",
    "Batch",
    "Delta",
    "Ended",
    "Entry",
    "Log",
    "Progress",
    "Reply",
    "ReplyState",
    "build_reply",
    "entries",
    "read_ends",
]
