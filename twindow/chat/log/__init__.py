"""Append-only log of each reply, and the HTML of finished replies."""

from twindow.chat.log.entries import (
    Batch,
    Ended,
    Entry,
    Reply,
    ReplyState,
    build_reply,
    decode,
    decode_start,
)
from twindow.chat.log.html_cache import HtmlCache
from twindow.chat.log.log import Log
from twindow.chat.log.shutdown import INTERRUPTED_BEFORE_SENDING
from twindow.chat.log.store import read_ends

__all__ = [
    "INTERRUPTED_BEFORE_SENDING",
    "Batch",
    "Ended",
    "Entry",
    "HtmlCache",
    "Log",
    "Reply",
    "ReplyState",
    "build_reply",
    "decode",
    "decode_start",
    "read_ends",
]
