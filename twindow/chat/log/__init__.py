"""Append-only log of each reply."""

from twindow.chat.log import entries
from twindow.chat.log.entries import (
    Batch,
    Delta,
    Ended,
    Entry,
    Progress,
    Reply,
    ReplyState,
    build_reply,
)
from twindow.chat.log.log import Log
from twindow.chat.log.shutdown import INTERRUPTED_BEFORE_SENDING
from twindow.chat.log.store import read_ends

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
