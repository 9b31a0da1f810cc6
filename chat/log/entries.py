"""What the log of a reply can hold, and what it comes to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

import msgspec


class ReplyState(StrEnum):
    """Say how a reply stands."""

    WAITING = "waiting"
    STREAMING = "streaming"
    COMPLETE = "complete"
    FAILED = "failed"
    STOPPED = "stopped"
    INTERRUPTED = "interrupted"


class Progress(msgspec.Struct, frozen=True, tag="progress"):
    """What the service says it is doing."""

    text: str
    percent: float | None = None


class Delta(msgspec.Struct, frozen=True, tag="delta"):
    """A piece of the reply."""

    text: str


class Ended(msgspec.Struct, frozen=True, tag="ended", omit_defaults=True):
    """The last entry of every log: it stands alone, and nothing comes after it."""

    state: ReplyState
    text: str = ""
    html: str = ""
    sentence: str = ""
    perhaps_received: bool = False
    gone: bool = False
    # The same words would be refused again.
    too_long: bool = False
    retry_at: float | None = None

    @property
    def is_charged(self) -> bool:
        """Tell whether the service may count a request for this turn."""
        return self.state is not ReplyState.FAILED or self.perhaps_received


Entry = Progress | Delta | Ended

_decoder = msgspec.json.Decoder(Entry)


encode = msgspec.json.encode
decode = _decoder.decode


@dataclass(frozen=True, slots=True)
class Batch:
    """Entries that follow the cursor `after`; 0 means that they are the whole log.

    A batch without entries says only that the reply goes on.
    """

    after: int
    last_seq: int
    entries: tuple[Entry, ...]

    @property
    def is_final(self) -> bool:
        """Tell whether nothing comes after this batch."""
        return bool(self.entries) and isinstance(self.entries[-1], Ended)


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply, as far as its log says. `cursor` is the number of the last entry in it."""

    state: ReplyState = ReplyState.WAITING
    text: str = ""
    html: str = ""
    progress: Progress | None = None
    sentence: str = ""
    perhaps_received: bool = False
    gone: bool = False
    too_long: bool = False
    retry_at: float | None = None
    cursor: int = 0

    @property
    def is_running(self) -> bool:
        """Tell whether more may come."""
        return self.state in (ReplyState.WAITING, ReplyState.STREAMING)


def build_reply(batch: Batch) -> Reply:
    """Say what the whole log in the batch comes to."""
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


def text_of(entries: Iterable[Entry]) -> str:
    """Join the text in the entries."""
    return "".join(entry.text for entry in entries if isinstance(entry, Delta | Ended))
