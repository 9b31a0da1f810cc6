"""A first message and its reply in Firefox and WebKit; all journeys are in journeys.py."""

from __future__ import annotations

from selenium.webdriver.remote.webdriver import WebDriver

from tests.browsers.steps import message_box, open_page, send, wait_for, wait_until
from tests.support.upstream import Upstream


def test_first_message_gets_a_streamed_reply_in_every_engine(
    driver: WebDriver, url: str, upstream: Upstream
):
    open_page(driver, url)
    send(driver, "Hello")
    call = upstream.next_call().start_stream()
    wait_for(driver, ".turn[data-state=waiting]", "Hello")
    call.delta("It **be")
    wait_for(driver, ".turn[data-state=streaming] strong", "be")
    call.complete("It **begins**")
    wait_for(driver, ".turn[data-state=complete] strong", "begins")
    wait_until(driver, "return document.activeElement.id === 'message'")
    assert message_box(driver).get_property("value") == ""
