"""A service that limits requests: the person sees how long to wait, and nothing is sent."""

from __future__ import annotations

import math
import re
import time
from datetime import UTC, datetime

import pytest
from sqlalchemy import select

from tests.faults.conftest import (
    NOT_SENT,
    Outcome,
    SendMessage,
    UpstreamAction,
    assert_outcome,
    respond_with,
    respond_with_html,
)
from tests.support.cases import failures
from tests.support.clock import AdjustableClock
from tests.support.html import text_in
from tests.support.person import Person
from twindow.chat.schema import api_quotas
from twindow.web.container import Portal


def has_countdown(seen: Outcome, portal: Portal, seconds: int) -> bool:
    """Return whether the note has a countdown and shows when it ends, to within a minute."""
    now = portal.clock.time()
    clocks = {time.strftime("%-I:%M %p", time.localtime(now + seconds + d)) for d in (-60, 0, 60)}
    shown = re.findall(r"\d+:\d\d [AP]M", text_in(seen.turn, ".note"))
    return bool(seen.turn.select(".note .countdown__clock")) and not clocks.isdisjoint(shown)


PAST = "Wed, 21 Oct 2015 07:28:00 GMT"
# Cases: the response of the service, and the seconds to wait.
REFUSALS = {
    "seconds": (respond_with(429, {}, retry_after="120"), 120),
    "no header": (respond_with(429), 60),
    "no valid header": (respond_with_html(429, retry_after="soon"), 60),
    "past": (respond_with(429, {}, retry_after=PAST), 0),
    "503": (respond_with_html(503, retry_after="120"), 120),
}


@pytest.mark.fault("F49", "F51")
def test_rate_limit_shows_a_countdown_and_is_not_retried(
    send_message: SendMessage, portal: Portal, clock: AdjustableClock
):
    def check(case: tuple[UpstreamAction, int]) -> None:
        act, seconds = case
        seen = send_message(act)
        assert_outcome(seen, "failed", "too many requests", NOT_SENT)
        assert has_countdown(seen, portal, seconds) is bool(seconds)
        clock.advance(seconds + 1)

    assert failures(check, REFUSALS) == {}


@pytest.mark.fault("F49", "F51")
def test_message_during_a_wait_is_not_sent_and_stays_in_the_composer(
    send_message: SendMessage, alice: Person, portal: Portal
):
    seen = send_message(respond_with(429, {}, retry_after="120"))
    with portal.database.read() as connection:
        retry_at = math.ceil(connection.execute(select(api_quotas.c.retry_at)).scalar_one())

    times = [element["datetime"] for element in seen.page.html.select(".countdown__text time")]
    assert set(times) == {datetime.fromtimestamp(retry_at, UTC).isoformat()}
    for form in (seen.page, alice.get("/twins/ada")):
        refused = alice.press(form, "Send", content="more words")
        assert refused.status == 429
        assert refused.html.select_one("#message").get_text() == "more words"
        assert refused.html.select_one("#composer .countdown .countdown__clock")
        assert "Try again in 2 minutes" in refused.text
