"""Closing of open streams when the person's sign-in ends."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from functools import partial

from flask import session

from twindow.core.db.errors import DatabaseUnavailable
from twindow.web.container import portal
from twindow.web.person.current_person import is_from_proxy, signed_in_person
from twindow.web.session.fields import SIGN_IN_FIELD

# The first frame after this time triggers a check of the person. Frames come at least every
# `Log.keepalive_seconds`, so a stream ends within five seconds of the end of the sign-in.
CHECK_SECONDS = 2.0


def while_signed_in(
    frames: Generator[str], last_frames: Iterable[str], *, twin_id: str = ""
) -> Generator[str]:
    """Yield frames while the sign-in of the current request is active, then `last_frames`.

    The frames also end when the person may no longer use the twin.
    """
    person, accounts = signed_in_person(), portal().accounts
    if person is None:
        return frames
    if is_from_proxy():
        find_person = partial(accounts.people.find_active, person.id)
    else:
        sign_in_id = str(session[SIGN_IN_FIELD])
        find_person = partial(accounts.sign_ins.find_person, sign_in_id, is_request=False)
    permissions_for = portal().twin_permissions

    def may_continue() -> bool:
        current = find_person()
        return current is not None and permissions_for(current.groups).allows(twin_id)

    return _check_frames(frames, last_frames, may_continue)


def _check_frames(
    frames: Generator[str], last_frames: Iterable[str], may_continue: Callable[[], bool]
) -> Generator[str]:
    clock = portal().clock
    checked_at = clock.monotonic()
    with closing(frames):
        for frame in frames:
            if clock.monotonic() - checked_at >= CHECK_SECONDS:
                if not _is_true_or_unknown(may_continue):
                    yield from last_frames
                    return
                checked_at = clock.monotonic()
            yield frame


def _is_true_or_unknown(condition: Callable[[], bool]) -> bool:
    # A failure of the database does not end streams; a later frame triggers the next check.
    try:
        return condition()
    except DatabaseUnavailable:
        return True
