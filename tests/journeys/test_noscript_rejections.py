"""Rejected messages in a browser without JavaScript.

tests/blueprints/test_rejected_messages.py has the other tests of rejected messages.
"""

from __future__ import annotations

from playwright.sync_api import BrowserContext, expect

from tests.journeys.conftest import PageErrors
from tests.journeys.steps import TOO_LONG_MESSAGE, open_conversation, send_message
from tests.support.upstream import Upstream

# Each form, and the sizes of the windows in which it is submitted.
SIZES = {
    "/twins/ada": [(360, 640), (640, 320)],
    "conversation": [(1280, 479), (640, 320)],
}


def test_rejection_reason_is_in_the_viewport_without_javascript(
    noscript_context: BrowserContext, upstream: Upstream, page_errors: PageErrors
):
    page = open_conversation(noscript_context, upstream)
    conversation = page.url.partition("?")[0]
    for form, sizes in SIZES.items():
        for width, height in sizes:
            page.set_viewport_size({"width": width, "height": height})
            page.goto(form if form.startswith("/") else conversation)
            send_message(page, TOO_LONG_MESSAGE)
            expect(page.locator("#form-error")).to_be_in_viewport(ratio=0.9)
    page_errors.clear()
