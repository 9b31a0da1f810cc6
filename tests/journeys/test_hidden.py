"""Tabs that nobody looks at: they miss nothing, and take nothing from the one that is looked at."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.journeys.page_clock import NO_SPREAD
from tests.journeys.steps import talking, text, turn
from tests.journeys.traffic import is_stream, requests_of
from tests.journeys.window import HIDDEN, hide, show
from tests.support.person import Person
from tests.support.upstream import Upstream

AT_ONCE_MS = 5_000


@pytest.mark.fault("F66")
def test_a_hidden_tab_lets_its_stream_go_and_misses_nothing(
    context: BrowserContext, upstream: Upstream
):
    context.add_init_script(NO_SPREAD)
    page, call = talking(context, upstream, "One")
    streams = requests_of(page, is_stream)
    with page.expect_event("requestfailed", is_stream):
        hide(page)
    call.delta(" two")
    expect(text(page)).to_have_text("One")
    assert streams == []

    show(page)
    expect(text(page)).to_have_text("One two")
    call.delta(" three")
    expect(text(page)).to_have_text("One two three")
    call.complete("One two three")
    expect(text(page, "complete")).to_have_text("One two three")
    assert len(streams) == 1


@pytest.mark.fault("F66")
def test_a_reply_that_ends_while_its_tab_is_hidden_is_there_afterwards(
    context: BrowserContext, upstream: Upstream
):
    context.add_init_script(NO_SPREAD)
    page, call = talking(context, upstream, "One")
    streams = requests_of(page, is_stream)
    with page.expect_event("requestfailed", is_stream):
        hide(page)
    call.complete("One **and all**")
    assert call.wait_for_disconnect()

    show(page)
    expect(text(page, "complete").locator("strong")).to_have_text("and all")
    assert len(streams) == 1


def hidden_tab(context: BrowserContext, path: str) -> None:
    tab = context.new_page()
    with tab.expect_response(lambda answer: is_stream(answer.request)):
        tab.goto(path)
    with tab.expect_event("requestfailed", is_stream):
        hide(tab)


def tab_in_the_background(context: BrowserContext, path: str) -> None:
    tab = context.new_page()
    tab.add_init_script(HIDDEN)
    tab.goto(path)


@pytest.mark.fault("F83")
@pytest.mark.parametrize(
    "opened",
    [
        hidden_tab,
        pytest.param(tab_in_the_background),
    ],
)
def test_the_seventh_tab_can_be_used_while_six_replies_run_in_hidden_ones(
    context: BrowserContext,
    upstream: Upstream,
    url: str,
    opened: Callable[[BrowserContext, str], None],
):
    alice = Person(url)
    pages = [alice.begin(f"Hello {number}") for number in range(6)]
    calls = [upstream.next_call().start_stream() for _ in pages]
    context.add_cookies(
        [{"name": "twindow", "value": alice.session.cookies["twindow"], "url": url}]
    )
    alice.close()
    for page in pages:
        opened(context, page.path)

    context.set_default_timeout(AT_ONCE_MS)
    seventh, call = talking(context, upstream, "At once")
    call.complete("At once and whole")
    expect(text(seventh, "complete")).to_have_text("At once and whole")
    for call in calls:
        call.complete("ok")
    first = context.pages[0]
    show(first)
    expect(turn(first, "complete")).to_contain_text("ok")
