"""A service that is busy, or that has had too much: the person is told how long to wait."""

from __future__ import annotations

import re
import time
from email.utils import formatdate

import pytest
from sqlalchemy import delete, update

from chat.schema import allowances
from tests.faults.conftest import (
    COMPLETE,
    NOT_SENT,
    WORDS,
    Act,
    Hear,
    Seen,
    delta,
    look,
    promised,
    says,
    says_html,
    streams,
    words_of,
)
from tests.support.cases import failures
from tests.support.person import Person
from tests.support.upstream import Upstream
from web.container import Portal

TOO_MANY = "too many requests"


@pytest.fixture
def impatient(portal: Portal) -> None:
    portal.reply_worker.conflict_retry_delays = (0.0, 0.0)


BUSY = says(409, {"error": "busy"})


@pytest.mark.fault("F47")
@pytest.mark.usefixtures("impatient")
def test_busy_conversation_is_retried_a_few_times(hear: Hear):
    seen = hear(BUSY, BUSY, lambda call: call.start_stream().complete("Now"))
    promised(seen, "complete", kept="Now", sent=[WORDS] * 3)

    seen = hear(BUSY, BUSY, BUSY)
    promised(seen, "failed", "Another reply is in progress", "Wait", NOT_SENT, sent=[WORDS] * 3)


def asks_to_wait(seen: Seen, seconds: float) -> bool:
    """Tell whether the note counts down, and says until when: within two minutes of rounding."""
    clock = {
        time.strftime("%-I:%M %p", time.localtime(time.time() + seconds + d)) for d in (-60, 0, 60)
    }
    shown = " ".join(words_of(seen.turn, ".note").split())
    return bool(
        seen.turn.select(".note .countdown__clock")
        and clock & set(re.findall(r"\d+:\d\d [AP]M", shown))
    )


def dated(status: int, seconds: float) -> Act:
    """Return a service that names the moment in so many seconds."""
    return lambda call: call.respond(
        status, {}, retry_after=formatdate(time.time() + seconds, usegmt=True)
    )


# What the service answers, and the wait that is counted down.
REFUSALS = {
    "seconds": (says(429, {}, retry_after="120"), 120),
    "date": (dated(429, 600), 600),
    "far date": (dated(429, 9000), 3600),
    "many seconds": (says(429, {}, retry_after="9000"), 3600),
    "past date": (dated(429, -600), None),
    "no date": (says(429, {}, retry_after="soon"), 60),
    "no header": (says(429), 60),
    "HTML": (says_html(429), 60),
    "503": (says(503, {}, retry_after="120"), 120),
    "503 in HTML": (says_html(503, retry_after="120"), 120),
}


@pytest.mark.fault("F49", "F50", "F51", "F53")
def test_rate_limit_is_counted_down_and_not_retried(hear: Hear, portal: Portal):
    def check(case: tuple[Act, float | None]) -> None:
        act, seconds = case
        with portal.database.write() as connection:
            connection.execute(delete(allowances))
        seen = hear(act)
        promised(seen, "failed", TOO_MANY, NOT_SENT)
        assert "theirs" not in seen.note
        if seconds is None:
            assert not seen.turn.select(".note .countdown__clock")
            assert "Try again in" not in seen.note
        else:
            assert asks_to_wait(seen, seconds)

    assert failures(check, REFUSALS) == {}


@pytest.mark.fault("F49", "F51")
def test_unnamed_wait_doubles_until_a_message_is_accepted(
    hear: Hear, alice: Person, upstream: Upstream, portal: Portal
):
    seen = hear(says(429))
    for seconds in (60, 120, 240, 480, 900, 900):
        assert asks_to_wait(seen, seconds)
        pass_the_time(portal)
        seen = look(alice, upstream, alice.press(seen.page, "Retry"), says_html(429))

    pass_the_time(portal)
    page = alice.press(seen.page, "Retry")
    page = look(alice, upstream, page, streams(delta("Now"), COMPLETE)).page
    page = alice.press(page, "Send", content="again")
    assert asks_to_wait(look(alice, upstream, page, says(429)), 60)


@pytest.mark.fault("F49", "F51")
def test_nothing_is_sent_before_the_time_has_come_and_the_words_stay(
    hear: Hear, alice: Person, portal: Portal
):
    seen = hear(says(429, {}, retry_after="120"))

    refused = alice.press(seen.page, "Send", content="more words")

    assert refused.status == 429
    assert refused.html.select_one("#message").get_text() == "more words"
    assert refused.html.select_one("#composer.countdown .countdown__clock")
    assert "Try again in 2 minutes" in refused.text
    assert alice.get("/twins/ada").status == 200
    begun = alice.press(alice.get("/twins/ada"), "Send", content="other words")
    assert begun.status == 429
    assert begun.html.select_one("#message").get_text() == "other words"


def pass_the_time(portal: Portal) -> None:
    """Let every wait be over."""
    with portal.database.write() as connection:
        connection.execute(update(allowances).values(refused_until=0))
