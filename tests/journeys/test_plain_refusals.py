"""A refused message without JavaScript; tests/blueprints/test_rejected_messages.py has the rest."""

from __future__ import annotations

from playwright.sync_api import BrowserContext, expect

from tests.journeys.conftest import Surprises
from tests.journeys.steps import TOO_LONG, begun, say
from tests.support.upstream import Upstream

SIZES = [(360, 640), (1280, 479), (640, 320)]


def test_reason_of_a_refusal_is_in_sight(
    plain: BrowserContext, upstream: Upstream, surprises: Surprises
):
    page = begun(plain, upstream)
    conversation = page.url.partition("?")[0]
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        for there in ("/twins/ada", conversation):
            page.goto(there)
            say(page, TOO_LONG)
            expect(page.locator("#form-error")).to_be_in_viewport(ratio=0.9)
    surprises.clear()
