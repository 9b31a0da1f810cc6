"""The end of open streams when the sign-in of their person ends."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing

from flask import session

from web.container import portal
from web.current_person import SIGN_IN_FIELD

# Streams have an event every three seconds at least, so one ends within five seconds.
CHECK_SECONDS = 2.0


def while_signed_in(frames: Generator[str], last_frames: Generator[str]) -> Generator[str]:
    """Yield frames while the sign-in of the current request is active, then `last_frames`."""
    sign_in_id = session.get(SIGN_IN_FIELD)
    if not sign_in_id:
        return frames
    return _check_frames(frames, last_frames, str(sign_in_id))


def _check_frames(
    frames: Generator[str], last_frames: Generator[str], sign_in_id: str
) -> Generator[str]:
    clock, sign_ins = portal().clock, portal().accounts.sign_ins
    checked_at = clock.monotonic()
    with closing(frames):
        for frame in frames:
            if clock.monotonic() - checked_at >= CHECK_SECONDS:
                if sign_ins.find_person(sign_in_id, is_request=False) is None:
                    yield from last_frames
                    return
                checked_at = clock.monotonic()
            yield frame
