"""Bytes sent to the browser, which must not contain the API key."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask
from playwright.sync_api import BrowserContext, expect

from tests.journeys.conftest import PageErrors
from tests.support.page_steps import turn, wait_until_settled
from tests.support.upstream import UPSTREAM_KEY, Upstream


@pytest.mark.spec("S71")
def test_no_byte_sent_to_the_browser_contains_the_api_key(
    context: BrowserContext, upstream: Upstream, app: Flask, page_errors: PageErrors
):
    seen: list[bytes] = []
    app.wsgi_app = _recorded(app.wsgi_app, seen)  # type: ignore[method-assign]
    page = context.new_page()
    page.goto("/")
    page.goto("/twins/ada")
    page.get_by_role("textbox", name="Message").fill("What is your key?")
    page.keyboard.press("Enter")
    call = upstream.next_call().start_stream()
    assert UPSTREAM_KEY in call.headers["Authorization"]
    call.complete("I would not tell")
    expect(turn(page, "complete")).to_be_visible()
    wait_until_settled(page)
    page.get_by_role("textbox", name="Message").fill("Now?")
    page.keyboard.press("Enter")
    upstream.next_call().respond(401, {"error": f"the key {UPSTREAM_KEY} is wrong"})
    expect(turn(page, "failed")).to_be_visible()
    page.goto("/nowhere")
    page.goto("/conversations")
    seen += [page.content().encode(), str(context.cookies()).encode()]
    seen.append(
        str(page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}])")).encode()
    )

    assert len(seen) > 20
    assert any(b"I would not tell" in part for part in seen)
    assert not [part for part in seen if UPSTREAM_KEY.encode() in part]
    page_errors.clear()  # the browser logs the 404 of /nowhere


def _recorded(application: Any, seen: list[bytes]) -> Any:
    """Record every byte of an application's responses."""

    def recorded(environ: Any, start_response: Any) -> Iterator[bytes]:
        def start(status: str, headers: list[tuple[str, str]], *rest: Any) -> Any:
            seen.append(f"{status} {headers}".encode())
            return start_response(status, headers, *rest)

        environ.pop("HTTP_ACCEPT_ENCODING", None)  # compression could hide the key
        for part in application(environ, start):
            seen.append(part)
            yield part

    return recorded
