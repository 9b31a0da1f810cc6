"""Entries of a reply log, and the reply that they add up to."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

import msgspec

from twindow.twinapi import Delta, Progress, Source


class ReplyState(StrEnum):
    """State of a reply, computed from its log."""

    WAITING = "waiting"
    STREAMING = "streaming"
    COMPLETE = "complete"
    FAILED = "failed"
    STOPPED = "stopped"
    INTERRUPTED = "interrupted"


class Ended(msgspec.Struct, frozen=True, tag="ended", omit_defaults=True):
    """Final entry of a log, which replaces all other entries."""

    state: ReplyState
    text: str = ""
    # Code of a message in twindow/web/i18n/service_messages.py, and the parameters of the message.
    code: str = ""
    params: dict[str, str] = {}
    perhaps_received: bool = False
    is_conversation_gone: bool = False
    # The message is too long, so the service would reject a retry.
    is_too_long: bool = False
    retry_at: float | None = None
    sources: tuple[Source, ...] = ()


Entry = Progress | Delta | Ended

encode = msgspec.json.encode
decode = msgspec.json.Decoder(Entry).decode

_TEXT = re.compile(rb'\{"type":"ended","state":"\w+","text":"((?:[^"\\]|\\u[0-9a-f]{4}|\\[^u])*)')


def decode_start(data: bytes) -> str:
    """Return the text of a final entry as far as `data`, its first bytes, has it."""
    found = _TEXT.match(data)
    text = found[1].decode(errors="ignore") if found else ""
    return str(json.loads(f'"{text}"'))


@dataclass(frozen=True, slots=True)
class Batch:
    """Entries after the cursor `after`, or all entries of the log if `after` is 0.

    A batch without entries means only that the reply is still running.
    """

    after: int
    last_seq: int
    entries: tuple[Entry, ...]

    @property
    def is_final(self) -> bool:
        """Return whether this batch ends the log."""
        return bool(self.entries) and isinstance(self.entries[-1], Ended)


@dataclass(frozen=True, slots=True)
class Reply:
    """Reply computed from a log. `cursor` is the number of the last entry it includes."""

    state: ReplyState = ReplyState.WAITING
    text: str = ""
    progress: Progress | None = None
    code: str = ""
    params: Mapping[str, str] = field(default_factory=dict)
    perhaps_received: bool = False
    is_conversation_gone: bool = False
    is_too_long: bool = False
    retry_at: float | None = None
    sources: Sequence[Source] = ()
    cursor: int = 0

    @property
    def is_quotation(self) -> bool:
        """Return whether the whole reply is a passage of a file."""
        return len(self.sources) == 1 and self.sources[0].passage == self.text

    @property
    def is_running(self) -> bool:
        """Return whether the reply has not ended."""
        return self.state in (ReplyState.WAITING, ReplyState.STREAMING)


def build_reply(batch: Batch) -> Reply:
    """Build the reply from a batch that holds the whole log."""
    reply = Reply(cursor=batch.last_seq)
    pieces: list[str] = []
    for entry in batch.entries:
        match entry:
            case Progress():
                reply = replace(reply, progress=entry)
            case Delta(text):
                pieces.append(text)
            case Ended():
                return Reply(cursor=batch.last_seq, **msgspec.structs.asdict(entry))
    if pieces:
        reply = replace(reply, state=ReplyState.STREAMING, text="".join(pieces))
    return reply


def join_text(entries: Iterable[Entry]) -> str:
    """Return the concatenated text of the entries."""
    return "".join(entry.text for entry in entries if isinstance(entry, Delta | Ended))


def keep_text(ended: Ended, entries: Iterable[Entry]) -> Ended:
    """Return `ended`. If `ended` has no text, add the text of `entries`."""
    return ended if ended.text else msgspec.structs.replace(ended, text=join_text(entries))
