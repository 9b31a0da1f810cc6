"""A service that is busy, or that has had too much: the person is told how long to wait."""

from __future__ import annotations

import re
import time
from email.utils import formatdate

import pytest
from sqlalchemy import update

from blueprints.current import Portal
from chat.tables import allowances
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
from tests.support.person import Person
from tests.support.upstream import Upstream

TOO_MANY = "too many requests"


@pytest.fixture
def impatient(portal: Portal) -> None:
    portal.producer.conflict_pauses = (0.0, 0.0)


BUSY = says(409, {"error": "busy"})


@pytest.mark.fault("F47")
@pytest.mark.usefixtures("impatient")
def test_a_busy_conversation_is_asked_again_for_a_moment(hear: Hear):
    seen = hear(BUSY, BUSY, lambda call: call.start_stream().complete("Now"))

    promised(seen, "complete", kept="Now", sent=[WORDS] * 3)


@pytest.mark.fault("F47")
@pytest.mark.usefixtures("impatient")
def test_a_conversation_that_stays_busy_is_told(hear: Hear):
    seen = hear(BUSY, BUSY, BUSY)

    promised(seen, "failed", "Another reply is in progress", "Wait", NOT_SENT, sent=[WORDS] * 3)


def asks_to_wait(seen: Seen, seconds: float) -> bool:
    """Tell whether the note counts down, and says until when: within two minutes of rounding."""
    clock = {
        time.strftime("%-I:%M %p", time.localtime(time.time() + seconds + d)) for d in (-60, 0, 60)
    }
    shown = " ".join(words_of(seen.turn, ".note").split())
    return bool(
        seen.turn.select(".note .until__count")
        and clock & set(re.findall(r"\d+:\d\d [AP]M", shown))
    )


def dated(status: int, seconds: float) -> Act:
    """Return a service that names the moment in so many seconds."""
    return lambda call: call.respond(
        status, {}, retry_after=formatdate(time.time() + seconds, usegmt=True)
    )


@pytest.mark.parametrize(
    "act",
    [
        pytest.param(says(429, {}, retry_after="120"), marks=pytest.mark.fault("F49")),
        pytest.param(dated(429, 600), marks=pytest.mark.fault("F50")),
        pytest.param(dated(429, -600), marks=pytest.mark.fault("F50")),
        pytest.param(says(429, {}, retry_after="soon"), marks=pytest.mark.fault("F50")),
        pytest.param(says(429), marks=pytest.mark.fault("F51")),
        pytest.param(says_html(429), marks=pytest.mark.fault("F51")),
        pytest.param(says(503, {}, retry_after="120"), marks=pytest.mark.fault("F53")),
        pytest.param(says_html(503, retry_after="120"), marks=pytest.mark.fault("F53")),
    ],
    ids=["seconds", "date", "past date", "no date", "no header", "HTML", "503", "503 in HTML"],
)
def test_too_many_requests_are_told_and_not_tried_again_by_themselves(hear: Hear, act: Act):
    seen = hear(act)

    promised(seen, "failed", TOO_MANY, NOT_SENT)
    assert "theirs" not in seen.note


@pytest.mark.parametrize(
    ("act", "seconds"),
    [
        pytest.param(says(429, {}, retry_after="120"), 120, marks=pytest.mark.fault("F49")),
        pytest.param(dated(429, 600), 600, marks=pytest.mark.fault("F50")),
        pytest.param(dated(429, 9000), 3600, marks=pytest.mark.fault("F50")),
        pytest.param(says(429, {}, retry_after="9000"), 3600, marks=pytest.mark.fault("F50")),
        pytest.param(says(429, {}, retry_after="soon"), 60, marks=pytest.mark.fault("F50")),
        pytest.param(says(503, {}, retry_after="120"), 120, marks=pytest.mark.fault("F53")),
    ],
    ids=["seconds", "date", "far date", "many seconds", "no date", "503"],
)
def test_the_wait_is_counted_down(hear: Hear, act: Act, seconds: float):
    assert asks_to_wait(hear(act), seconds)


@pytest.mark.fault("F50")
def test_a_wait_that_is_over_is_no_wait(hear: Hear):
    seen = hear(dated(429, -600))

    assert not seen.turn.select(".note .until__count")
    assert "Try again in" not in seen.note


@pytest.mark.fault("F51")
def test_a_wait_that_is_not_named_doubles_up_to_a_quarter_of_an_hour(
    hear: Hear, alice: Person, upstream: Upstream, portal: Portal
):
    seen = hear(says(429))
    for seconds in (60, 120, 240, 480, 900, 900):
        assert asks_to_wait(seen, seconds)
        pass_the_time(portal)
        seen = look(alice, upstream, alice.press(seen.page, "Retry"), says_html(429))


@pytest.mark.fault("F49", "F51")
def test_nothing_is_sent_before_the_time_has_come_and_the_words_stay(
    hear: Hear, alice: Person, portal: Portal
):
    seen = hear(says(429, {}, retry_after="120"))

    refused = alice.press(seen.page, "Send", content="more words")

    assert refused.status == 429
    assert refused.html.select_one("#message").get_text() == "more words"
    assert refused.html.select_one("#composer.until .until__count")
    assert "Try again in 2 minutes" in refused.text
    assert alice.get("/twins/ada").status == 200
    begun = alice.press(alice.get("/twins/ada"), "Send", content="other words")
    assert begun.status == 429
    assert begun.html.select_one("#message").get_text() == "other words"


@pytest.mark.fault("F49")
def test_after_a_good_answer_the_wait_begins_small_again(
    hear: Hear, alice: Person, upstream: Upstream, portal: Portal
):
    page = hear(says(429)).page
    pass_the_time(portal)
    page = look(alice, upstream, alice.press(page, "Retry"), streams(delta("Now"), COMPLETE)).page
    page = alice.press(page, "Send", content="again")

    assert asks_to_wait(look(alice, upstream, page, says(429)), 60)


def pass_the_time(portal: Portal) -> None:
    """Let every wait be over."""
    with portal.database.write() as connection:
        connection.execute(update(allowances).values(refused_until=0))
