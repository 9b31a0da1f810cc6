"""The page for browsers without scripts, which is sent while its reply is written."""

from __future__ import annotations

import re

import pytest
from bs4 import BeautifulSoup
from flask import Flask

from tests.support.cases import failures
from tests.support.html import parse_html
from tests.support.person import Page, Person, Stream, wait_for_reply
from tests.support.turn_dom import TurnDom
from tests.support.upstream import Call, Upstream
from tests.support.waiting import wait_until
from twindow.web.streaming import noscript_page

PARAGRAPH = "One sentence goes on about wheels and roads, and then another one does. "


class NoscriptReader:
    """Reader of the page for browsers without JavaScript, with the HTML received so far."""

    def __init__(self, person: Person, page: Page) -> None:
        url = f"{person.base_url}{page.path}?follow=1"
        self.response = person.session.get(url, stream=True, timeout=10)
        self._pieces = Stream(self.response, TurnDom("", None)).chunks()
        self.html = ""

    def read_until(self, words: str) -> NoscriptReader:
        """Read until the HTML contains `words`."""
        while words not in self.html:
            self.html += next(self._pieces).decode()
        return self

    def read_to_end(self) -> BeautifulSoup:
        """Read to the end, and return the parsed page."""
        self.html += b"".join(self._pieces).decode()
        self.response.close()
        return parse_html(self.html)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the intervals between the updates of the page."""
    monkeypatch.setattr(noscript_page, "MIN_INTERVAL_SECONDS", 0.02)
    monkeypatch.setattr(noscript_page, "POLL_SECONDS", 0.05)


def start_noscript_page(alice: Person, upstream: Upstream) -> tuple[NoscriptReader, Call]:
    page = alice.start_conversation("hello")
    call = upstream.next_call().start_stream()
    return NoscriptReader(alice, page), call


def visible_reply_html(html: BeautifulSoup) -> str:
    """Return the HTML of the reply without the elements that the stylesheet hides."""
    reply = html.select(".turn__reply")[-1]
    for version in reply.select(":scope > .noscript-snapshot:has(~ *), :scope > span:empty"):
        version.decompose()
    visible = reply.select_one(":scope > .noscript-final") or reply
    ids = [found["id"] for found in visible.select("[id]")]
    assert len(ids) == len(set(ids))
    return visible.decode_contents().replace("<!---->", "")


@pytest.mark.fault("F49")
def test_refusal_leaves_no_waiting_note_and_shows_a_countdown_in_the_composer(
    alice: Person, upstream: Upstream
):
    page = NoscriptReader(alice, alice.start_conversation("hello"))
    call = upstream.next_call()
    page.read_until("has your message")
    call.respond(429, {"error": "busy"}, retry_after="120")
    html = page.read_to_end()

    assert "Try again in" in html.select_one(".composer .countdown").get_text()
    assert visible_reply_html(html) == ""


def test_noscript_page_streams_the_reply_and_ends_like_a_normal_page(
    alice: Person, upstream: Upstream
):
    page, call = start_noscript_page(alice, upstream)
    page.read_until("has your message")
    stop = parse_html(page.html).select_one(".stop-form button")
    call.delta("It **does**")
    page.read_until("<strong>does</strong>")
    call.delta(".\n\nAnd")
    page.read_until("<p>And</p>")
    assert "</html>" not in page.html
    call.complete("It **does**.\n\nAnd so on.")
    html = page.read_to_end()

    assert stop.get_text() == "Stop"
    assert visible_reply_html(html) == "<p>It <strong>does</strong>.</p><p>And so on.</p>"
    assert html.select_one(".turn__footer")["data-state"] == "complete"
    assert html.select_one("#composer textarea") is not None
    assert page.html.rstrip().endswith("</html>")
    assert not html.select("noscript meta, [aria-busy]")
    assert page.response.headers["Content-Encoding"] == "gzip"


# Cases: the deltas of a reply, and its final text.
STREAMED = {
    "a link": (["See [that].\n\nMore"], "See [that].\n\nMore\n\n[that]: https://x.example/"),
    "taken back": (["First of all, this stays.\n\n", "And secret"], "First of all, this stays."),
    "footnotes": (["A[^1] x", " and B\n\n[^1]: C"], "A[^1] x and B\n\n[^1]: C"),
    "code": (["```python\n", "x = 1\n" * 200], "```python\n" + "x = 1\n" * 200 + "```"),
    "a table": (["| a |\n|---|\n", "| 1 |\n" * 50], "| a |\n|---|\n" + "| 1 |\n" * 50),
}


def test_noscript_page_ends_with_the_stored_reply(alice: Person, upstream: Upstream):
    def check(case: tuple[list[str], str]) -> None:
        deltas, final = case
        begun = alice.start_conversation("hello")
        call = upstream.next_call().start_stream()
        page = NoscriptReader(alice, begun)
        for delta in deltas:
            call.delta(delta)
            page.read_until(delta.split()[-1].strip("|-`"))
        call.complete(final)
        html = page.read_to_end()

        reply = alice.get(begun.path).html.select(".turn__reply")[-1]
        assert "".join(visible_reply_html(html).split()) == "".join(reply.decode_contents().split())

    assert failures(check, STREAMED) == {}


def test_progress_is_shown_and_not_buffered_by_proxies(alice: Person, upstream: Upstream):
    page, call = start_noscript_page(alice, upstream)
    call.send_event(type="progress", progress={"stage": "reading files"})
    page.read_until("Reading files…")
    call.complete("Done")
    page.read_to_end()

    assert page.response.headers["X-Accel-Buffering"] == "no"
    assert page.response.headers["Cache-Control"] == "no-store, no-transform"


def test_stop_and_failure_end_the_noscript_page(alice: Person, upstream: Upstream):
    begun = alice.start_conversation("hello")
    call = upstream.next_call().start_stream()
    page = NoscriptReader(alice, begun)
    call.delta("Half")
    page.read_until("Half")
    alice.press(begun, "Stop")
    assert "Stopped." in page.read_to_end().get_text()

    again = alice.press(alice.get(begun.path), "Try again")
    call = upstream.next_call().start_stream()
    page = NoscriptReader(alice, again)
    call.delta("Half")
    page.read_until("Half")
    call.close()
    html = page.read_to_end()
    assert html.select(".turn__footer")[-1]["data-state"] == "interrupted"
    assert html.select(".turn")[-1].find("button", string="Try again")


@pytest.mark.usefixtures("processes")
def test_transmitted_size_is_proportional_to_the_reply(alice: Person, upstream: Upstream):
    page, call = start_noscript_page(alice, upstream)
    for number in range(400):
        call.delta(f"{number} {PARAGRAPH}")
        if number % 40 == 0:
            page.read_until(f"{number * 3 // 4} One sentence")
    call.complete()
    html = page.read_to_end()

    text = 400 * len(PARAGRAPH)
    reply = len(html.select(".turn__reply")[-1].decode_contents())
    assert reply <= 12 * text
    assert len(html.select(".noscript-snapshot")) <= 60


def test_reply_that_ends_on_a_noscript_page_is_not_new(alice: Person, upstream: Upstream):
    page, call = start_noscript_page(alice, upstream)
    call.complete("Yes")
    page.read_to_end()

    assert not alice.get("/").html.select("[data-reply]")


def test_noscript_page_without_a_running_reply_is_the_normal_page(
    alice: Person, upstream: Upstream
):
    page = alice.start_conversation("hello")
    upstream.next_call().start_stream().complete("Yes")
    page = wait_for_reply(alice, page)
    again = alice.get(f"{page.path}?follow=1")

    token = re.compile(r'value="[^"]*"')
    assert token.sub("", again.response.text) == token.sub("", page.response.text)


def test_streams_and_followed_pages_count_towards_the_limit_until_they_end(
    app: Flask, alice: Person, upstream: Upstream
):
    app.config["MAX_STREAMS_PER_ADDRESS"] = 2
    page = alice.start_conversation("hello")
    turn_id = str(page.turns[0]["data-turn"])
    call = upstream.next_call().start_stream()
    with alice.follow(turn_id) as stream:
        followed = NoscriptReader(alice, page).read_until("has your message")
        with alice.follow(turn_id) as third:
            assert [event.name for event in third.remaining_events()] == ["reconnect"]
        whole_page = NoscriptReader(alice, page).read_to_end()
        assert whole_page.select("article.turn")
        assert not whole_page.select("[http-equiv]")
        call.complete("Done")
        stream.remaining_events()
        followed.read_to_end()
    wait_until(lambda: not app.extensions["stream_counts"])
    with alice.follow(turn_id) as again:
        assert again.remaining_events()[-1].name == "done"
