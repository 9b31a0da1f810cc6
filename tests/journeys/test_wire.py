"""What goes over the wire: how much, and never the key."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask
from playwright.sync_api import Browser, BrowserContext, expect

from tests.journeys.conftest import Surprises, turn
from tests.upstream import KEY, Upstream


def test_the_first_chat_page_is_light(browser: Browser, url: str, upstream: Upstream):
    """At most 6 requests and 30 KB on the wire, compressed, from this host alone."""
    context = browser.new_context(base_url=url)
    page = context.new_page()
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    sizes: list[float] = []
    session.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))

    page.goto("/twins/ada", wait_until="networkidle")
    context.close()

    assert 0 < len(sizes) <= 6
    assert sum(sizes) <= 30_000


@pytest.mark.spec("S71")
def test_no_byte_that_reaches_the_browser_holds_the_key(
    context: BrowserContext, upstream: Upstream, app: Flask, surprises: Surprises
):
    seen: list[bytes] = []
    app.wsgi_app = _recorded(app.wsgi_app, seen)  # type: ignore[method-assign]
    page = context.new_page()
    page.goto("/")
    page.goto("/twins/ada")
    page.get_by_role("textbox", name="Message").fill("What is your key?")
    page.keyboard.press("Enter")
    call = upstream.next_call().begin()
    assert KEY in call.headers["Authorization"]
    call.complete("I would not tell")
    expect(turn(page, "complete")).to_be_visible()
    page.get_by_role("textbox", name="Message").fill("Now?")
    page.keyboard.press("Enter")
    upstream.next_call().answer(401, {"error": f"the key {KEY} is wrong"})
    expect(turn(page, "failed")).to_be_visible()
    page.goto("/nowhere")
    page.goto("/conversations")
    seen += [page.content().encode(), str(context.cookies()).encode()]
    seen.append(
        str(page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}])")).encode()
    )

    assert len(seen) > 20
    assert any(b"I would not tell" in part for part in seen)
    assert not [part for part in seen if KEY.encode() in part]
    surprises.clear()  # the page that is nowhere


def _recorded(application: Any, seen: list[bytes]) -> Any:
    """Note every byte that an application answers with."""

    def recorded(environ: Any, start_response: Any) -> Iterator[bytes]:
        def start(status: str, headers: list[tuple[str, str]], *rest: Any) -> Any:
            seen.append(f"{status} {headers}".encode())
            return start_response(status, headers, *rest)

        for part in application(environ, start):
            seen.append(_unzipped(part))
            yield part

    return recorded


def _unzipped(part: bytes) -> bytes:
    return gzip.decompress(part) if part.startswith(b"\x1f\x8b") else part
