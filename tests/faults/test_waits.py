"""A service that is busy or limits requests: the person sees how long to wait."""

from __future__ import annotations

import math
import re
import time
from datetime import UTC, datetime
from email.utils import formatdate

import pytest
from sqlalchemy import delete, select

from chat.schema import api_quotas
from tests.faults.conftest import (
    MESSAGE,
    NOT_SENT,
    Outcome,
    SendMessage,
    UpstreamAction,
    assert_outcome,
    respond_with,
    respond_with_html,
    text_in,
)
from tests.support.cases import failures
from tests.support.person import Person
from web.container import Portal

TOO_MANY = "too many requests"


@pytest.fixture
def impatient(portal: Portal) -> None:
    portal.reply_worker.conflict_retry_delays = (0.0, 0.0)


BUSY = respond_with(409, {"error": "busy"})


@pytest.mark.fault("F47")
@pytest.mark.usefixtures("impatient")
def test_busy_conversation_is_retried_a_few_times(send_message: SendMessage):
    seen = send_message(BUSY, BUSY, lambda call: call.start_stream().complete("Now"))
    assert_outcome(seen, "complete", reply="Now", sent_messages=[MESSAGE] * 3)

    seen = send_message(BUSY, BUSY, BUSY)
    assert_outcome(
        seen,
        "failed",
        "Another reply is in progress",
        "wait a moment",
        NOT_SENT,
        sent_messages=[MESSAGE] * 3,
    )


def asks_to_wait(seen: Outcome, seconds: float) -> bool:
    """Return whether the note has a countdown and shows when it ends, to within a minute."""
    clock = {
        time.strftime("%-I:%M %p", time.localtime(time.time() + seconds + d)) for d in (-60, 0, 60)
    }
    shown = " ".join(text_in(seen.turn, ".note").split())
    return bool(
        seen.turn.select(".note .countdown__clock")
        and clock & set(re.findall(r"\d+:\d\d [AP]M", shown))
    )


@pytest.mark.fault("F49")
def test_countdown_has_the_end_of_the_wait_as_a_machine_readable_time(
    send_message: SendMessage, portal: Portal
):
    seen = send_message(respond_with(429, {}, retry_after="120"))

    with portal.database.read() as connection:
        retry_at = math.ceil(connection.execute(select(api_quotas.c.retry_at)).scalar_one())
    times = [element["datetime"] for element in seen.page.html.select(".countdown__text time")]
    assert set(times) == {datetime.fromtimestamp(retry_at, UTC).isoformat()}


def dated(status: int, seconds: float) -> UpstreamAction:
    """Return an action whose Retry-After header is the date in `seconds` from now."""
    return lambda call: call.respond(
        status, {}, retry_after=formatdate(time.time() + seconds, usegmt=True)
    )


# Cases: the response of the service, and the expected countdown in seconds (None: no countdown).
REFUSALS = {
    "seconds": (respond_with(429, {}, retry_after="120"), 120),
    "date": (dated(429, 600), 600),
    "far date": (dated(429, 36_000), 3600),
    "many seconds": (respond_with(429, {}, retry_after="36000"), 3600),
    "past date": (dated(429, -600), None),
    "no date": (respond_with(429, {}, retry_after="soon"), 60),
    "no header": (respond_with(429), 60),
    "HTML": (respond_with_html(429), 60),
    "503": (respond_with(503, {}, retry_after="120"), 120),
    "503 in HTML": (respond_with_html(503, retry_after="120"), 120),
}


@pytest.mark.fault("F49", "F51")
def test_rate_limit_shows_a_countdown_and_is_not_retried(send_message: SendMessage, portal: Portal):
    def check(case: tuple[UpstreamAction, float | None]) -> None:
        act, seconds = case
        with portal.database.write() as connection:
            connection.execute(delete(api_quotas))
        seen = send_message(act)
        assert_outcome(seen, "failed", TOO_MANY, NOT_SENT)
        assert "theirs" not in seen.note
        if seconds is None:
            assert not seen.turn.select(".note .countdown__clock")
            assert "Try again in" not in seen.note
        else:
            assert asks_to_wait(seen, seconds)

    assert failures(check, REFUSALS) == {}


@pytest.mark.fault("F49", "F51")
def test_message_during_a_wait_is_not_sent_and_stays_in_the_composer(
    send_message: SendMessage, alice: Person, portal: Portal
):
    seen = send_message(respond_with(429, {}, retry_after="120"))

    refused = alice.press(seen.page, "Send", content="more words")

    assert refused.status == 429
    assert refused.html.select_one("#message").get_text() == "more words"
    assert refused.html.select_one("#composer .countdown .countdown__clock")
    assert "Try again in 2 minutes" in refused.text
    assert alice.get("/twins/ada").status == 200
    begun = alice.press(alice.get("/twins/ada"), "Send", content="other words")
    assert begun.status == 429
    assert begun.html.select_one("#message").get_text() == "other words"
