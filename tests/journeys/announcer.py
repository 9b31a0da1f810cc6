"""What the announcer says, on the page's own clock."""

from __future__ import annotations

from playwright.sync_api import BrowserContext, Page

from tests.journeys.steps import begun, say, turn
from tests.journeys.window import SAYINGS
from tests.support.upstream import Call, Upstream

# Long enough for the announcer to look at the page and to say what is new.
LOOK_MS = 4_500


def listening(context: BrowserContext, upstream: Upstream) -> Page:
    """Open a conversation with one turn, and record what its announcer says."""
    page = begun(context, upstream)
    page.clock.install()
    page.reload()
    page.evaluate(SAYINGS)
    return page


def sayings(page: Page, milliseconds: int = LOOK_MS) -> list[str]:
    """Let time pass, and return what the announcer has said since the last call."""
    page.clock.run_for(milliseconds)
    said: list[str] = page.evaluate("said.splice(0)")
    return said


def ask(page: Page, upstream: Upstream) -> Call:
    """Send a message; return its request when the page waits for the reply."""
    say(page, "More")
    call = upstream.next_call().start_stream()
    turn(page, "waiting").wait_for()
    return call
