"""An open stream ends when the sign-in ends, but survives an outage of the database."""

from __future__ import annotations

from collections.abc import Generator, Iterator

from flask import Flask

from core.db.database import DatabaseUnavailable
from tests.support.clock import AdjustableClock
from web.person.revocation import CHECK_SECONDS, _check_frames


def frames(clock: AdjustableClock) -> Generator[str]:
    for number in range(5):
        clock.advance(CHECK_SECONDS)
        yield str(number)


def last_frames() -> Generator[str]:
    yield "end"


def test_stream_survives_an_outage_of_the_database_and_ends_with_the_sign_in(
    app: Flask, clock: AdjustableClock
):
    answers: Iterator[bool | None] = iter((True, None, None, False))

    def is_signed_in() -> bool:
        answer = next(answers)
        if answer is None:
            raise DatabaseUnavailable
        return answer

    with app.app_context():
        received = list(_check_frames(frames(clock), last_frames(), is_signed_in))

    assert received == ["0", "1", "2", "end"]
