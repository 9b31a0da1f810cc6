"""Replies of a service in another stack, in the browser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.journeys.steps import send_message, turn
from tests.partners.express_service import run_express
from tests.partners.partner import FULL_KEY, WORDS, Partner


@pytest.fixture
def partner() -> Iterator[Partner]:
    with run_express() as partner:
        yield partner


@pytest.fixture
def settings(settings: dict[str, Any], partner: Partner) -> dict[str, Any]:
    return settings | {"api_url": partner.url, "api_key": FULL_KEY}


def test_reply_of_another_stack_streams_into_the_page_with_and_without_javascript(
    context: BrowserContext, noscript_context: BrowserContext, partner: Partner
):
    for browser_context in (context, noscript_context):
        partner.state.go_on.clear()
        page = browser_context.new_page()
        page.goto("/")
        page.get_by_role("link", name="Twin 1", exact=True).click()
        send_message(page, "Wait")
        expect(page.get_by_text("Hello from the other").last).to_be_visible()
        partner.state.go_on.set()
        expect(turn(page, "complete")).to_contain_text("".join(WORDS))
