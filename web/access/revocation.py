"""The end of open streams when the sign-in of their person ends."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing

from flask import session

from core.database import DatabaseUnavailable
from web.container import portal
from web.current_person import is_from_proxy, signed_in_person
from web.session_fields import SIGN_IN_FIELD

# Streams have an event every three seconds at least, so one ends within five seconds.
CHECK_SECONDS = 2.0


def while_signed_in(frames: Generator[str], last_frames: Generator[str]) -> Generator[str]:
    """Yield frames while the sign-in of the current request is active, then `last_frames`."""
    person, accounts = signed_in_person(), portal().accounts
    if person is None:
        return frames
    if is_from_proxy():
        return _check_frames(frames, last_frames, lambda: accounts.people.is_active(person.id))
    sign_in_id = str(session[SIGN_IN_FIELD])
    return _check_frames(
        frames,
        last_frames,
        lambda: accounts.sign_ins.find_person(sign_in_id, is_request=False) is not None,
    )


def _check_frames(
    frames: Generator[str], last_frames: Generator[str], is_signed_in: Callable[[], bool]
) -> Generator[str]:
    clock = portal().clock
    checked_at = clock.monotonic()
    with closing(frames):
        for frame in frames:
            if clock.monotonic() - checked_at >= CHECK_SECONDS:
                if not _is_true_or_unknown(is_signed_in):
                    yield from last_frames
                    return
                checked_at = clock.monotonic()
            yield frame


def _is_true_or_unknown(is_signed_in: Callable[[], bool]) -> bool:
    # Replies survive an outage of the database; the next check is in two seconds.
    try:
        return is_signed_in()
    except DatabaseUnavailable:
        return True
