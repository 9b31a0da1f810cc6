"""The portal in a frame on a page of another origin."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, FrameLocator, expect

from tests.support.chromium import WAIT_MS
from tests.support.portals import serve
from tests.support.processes import free_port
from tests.support.upstream import Upstream


@pytest.fixture
def framing_port() -> int:
    """Return the port of the page with the frame."""
    return free_port()


@pytest.fixture
def settings(settings: dict[str, Any], framing_port: int) -> dict[str, Any]:
    return settings | {"frame_ancestors": f"http://localhost:{framing_port}"}


@contextmanager
def open_frame(browser: Browser, portal_url: str, port: int) -> Iterator[FrameLocator]:
    """Open a page on localhost that shows the portal in a frame."""
    body = f'<!doctype html><title>Intranet</title><iframe src="{portal_url}"></iframe>'

    def application(_environ: Any, start_response: Any) -> list[bytes]:
        start_response("200 OK", [("Content-Type", "text/html")])
        return [body.encode()]

    with serve(application, port), closing(browser.new_context()) as context:
        context.set_default_timeout(WAIT_MS)
        page = context.new_page()
        page.goto(f"http://localhost:{port}")
        yield page.frame_locator("iframe")


def send(frame: FrameLocator, message: str) -> None:
    frame.get_by_role("textbox", name="Message").fill(message)
    frame.get_by_role("button", name="Send").click()


def test_people_chat_in_a_frame_on_a_page_of_the_same_site(
    browser: Browser, url: str, framing_port: int, upstream: Upstream
):
    with open_frame(browser, url.replace("127.0.0.1", "localhost"), framing_port) as frame:
        send(frame, "Hello")
        upstream.next_call().start_stream().complete("Hello from the frame")

        expect(frame.locator("#r1")).to_contain_text("Hello from the frame")


def test_message_from_a_frame_on_another_site_stays_and_a_link_opens_a_window(
    browser: Browser, url: str, framing_port: int
):
    with open_frame(browser, url, framing_port) as frame:
        send(frame, "Hello")
        expect(frame.get_by_text("your browser doesn't accept cookies")).to_be_visible()
        expect(frame.get_by_role("textbox", name="Message")).to_have_value("Hello")
        page = frame.owner.page
        with page.expect_popup() as popup:
            frame.get_by_role("link", name="Open in a new window").click()

        expect(popup.value).to_have_url(f"{url}/")
