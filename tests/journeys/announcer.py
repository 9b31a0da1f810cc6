"""Helpers that read the announcements of the live region, with a fake clock in the page."""

from __future__ import annotations

from playwright.sync_api import BrowserContext, Page

from tests.journeys.window import RECORD_ANNOUNCEMENTS
from tests.support.page_steps import open_conversation, send_message, turn
from tests.support.upstream import Call, Upstream

# This time is long enough for the announcer to check the page and announce what is new.
ANNOUNCEMENT_DELAY_MS = 4_500
LOST_CONNECTION = "Connection lost. Reconnecting…"


def open_recorded_conversation(context: BrowserContext, upstream: Upstream) -> Page:
    """Open a conversation with one turn, and record its announcements."""
    page = open_conversation(context, upstream)
    page.clock.install()
    page.reload()
    page.evaluate(RECORD_ANNOUNCEMENTS)
    return page


def next_announcements(page: Page, milliseconds: int = ANNOUNCEMENT_DELAY_MS) -> list[str]:
    """Advance the page's clock and return the announcements since the last call.

    On a slow machine, the stream may count as lost because the clock was advanced; this is omitted.
    """
    page.clock.run_for(milliseconds)
    announced: list[str] = page.evaluate("announcements.splice(0)")
    return [words for words in announced if words != LOST_CONNECTION]


def start_turn(page: Page, upstream: Upstream) -> Call:
    """Send a message; return its upstream call once the page waits for the reply."""
    send_message(page, "More")
    call = upstream.next_call().start_stream()
    turn(page, "waiting").wait_for()
    return call
