"""The event stream of a reply, which readers follow from any cursor."""

import re

import pytest
from bs4 import Tag

from tests.support.person import Page, Person, wait_for_reply
from tests.support.upstream import Upstream
from tests.support.waiting import wait_until
from twindow.chat.log import Log
from twindow.paths import STATIC
from twindow.web.container import Portal
from twindow.web.streaming.reply_renderer import ReplyRenderers


def begun(alice: Person, upstream: Upstream):
    page = alice.start_conversation("hello")
    return page, str(page.turns[0]["data-turn"]), upstream.next_call().start_stream()


def cursor_of(page: Page) -> str:
    """Return the cursor at which the page's first turn continues."""
    connect = str(page.turns[0].select_one(".turn__footer")["hx-sse:connect"])
    return connect.partition("after=")[2]


def render_in_other_process(turn_id: str, portal: Portal, monkeypatch: pytest.MonkeyPatch) -> None:
    other_process = ReplyRenderers(portal.clock, {turn_id}.__contains__)
    monkeypatch.setattr(ReplyRenderers, "open", staticmethod(other_process.open))


def test_stream_appends_html_and_the_end_of_the_reply_changes_only_the_footer(
    alice: Person, upstream: Upstream
):
    _, turn_id, call = begun(alice, upstream)
    target = "#r1"

    with alice.follow(turn_id) as stream:
        call.delta("One <b>")
        first = stream.next_frame().select_one(f'hx-partial[hx-target="{target}"]')
        call.delta(" two")
        second = stream.next_frame().select_one(f'hx-partial[hx-target="{target}>:last-child"]')
        call.complete("One <b> two")
        end, done = stream.remaining_events()
        shown = stream.text

    assert (first["hx-swap"], first.decode_contents()) == ("updateInner", "<p>One &lt;b&gt;</p>")
    assert (second["hx-swap"], second.get_text()) == ("beforeend", " two")
    assert shown == "One <b> two"
    foot = end_of(end)
    assert foot.select_one(f"#turn-{turn_id}-foot")["data-state"] == "complete"
    assert "hx-sse:connect" not in end.data
    assert "two" not in end.data
    assert done.name == "done"


def test_end_of_a_reply_with_citations_replaces_the_turn_with_linked_ones(
    alice: Person, upstream: Upstream
):
    _, turn_id, call = begun(alice, upstream)
    source = {"file": "bread.md", "heading": "Bread", "passage": "Yeast makes gas."}
    with alice.follow(turn_id) as stream:
        call.delta("Because of yeast [1].")
        stream.read_until("yeast")
        message = {"content": "Because of yeast [1].", "sources": [source]}
        call.send_event(type="complete", message=message)
        call.close()
        end, _ = stream.remaining_events()

    assert Page.parse(end.data).select_one(".turn__reply a[href^='#']").get_text() == "[1]"


def end_of(event) -> Tag:
    part, *_composer = Page.parse(event.data).select("hx-partial")
    assert (part["hx-target"][-5:], part["hx-swap"]) == ("-foot", "outerHTML")
    return part


def test_reader_continues_at_the_cursor_of_an_event_or_of_a_page(alice: Person, upstream: Upstream):
    page, turn_id, call = begun(alice, upstream)
    with alice.follow(turn_id) as stream:
        call.delta("So **far**")
        stream.read_until("far")
        turn, cursor = stream.turn, stream.last_event_id
    page = alice.get(page.path)
    shown = page.turns[0].select_one(".turn__reply").decode_contents()
    call.delta(", so good")
    with alice.follow(turn_id) as stream:
        stream.read_until("so good")

    assert page.reply_states == ["streaming"]
    assert shown.strip() == "<p>So <strong>far</strong></p>"
    for places in (
        {"turn": turn, "last_event_id": cursor},
        {"turn": page.turns[0], "after": cursor_of(page)},
    ):
        with alice.follow(turn_id, **places) as stream:
            missed = stream.next_frame().select_one("hx-partial")
            assert stream.text == "So far, so good"
        assert (missed["hx-swap"], missed.get_text()) == ("beforeend", ", so good")
    call.complete()


def test_page_keeps_its_text_while_a_process_to_which_the_reply_is_new_renders_it(
    alice: Person, upstream: Upstream, portal: Portal, monkeypatch: pytest.MonkeyPatch
):
    page, turn_id, call = begun(alice, upstream)
    with alice.follow(turn_id) as stream:
        for text in ("One", " two", " three"):
            call.delta(text)
            stream.read_until(text)
    page = alice.get(page.path)

    render_in_other_process(turn_id, portal, monkeypatch)
    # Even these entries are rendered one by one.
    monkeypatch.setattr("twindow.web.streaming.reply_renderer.CHUNK_LENGTH", 1)
    monkeypatch.setattr("twindow.rendering.stream.cpu_budget.MAX_SHARE", 0.005)
    monkeypatch.setattr("twindow.rendering.stream.cpu_budget.BURST_PAUSE_SECONDS", 0)
    with alice.follow(turn_id, after=cursor_of(page), turn=page.turns[0]) as stream:
        call.delta(" four")
        patch = stream.next_frame().select_one("hx-partial")
        assert stream.text.startswith("One two three")

    assert patch["hx-swap"] == "updateInner"
    call.complete()


def test_page_whose_html_another_process_has_rendered_differently_shows_the_whole_reply(
    alice: Person, upstream: Upstream, portal: Portal, monkeypatch: pytest.MonkeyPatch
):
    pieces = ["word " * 820, "one " * 5, "two " * 15, "three " * 5]
    page, turn_id, call = begun(alice, upstream)
    for seq, piece in enumerate(pieces, 1):
        call.delta(piece)
        wait_until(lambda seq=seq: cursor_of(alice.get(page.path)).startswith(f"{seq}-"))
    page = alice.get(page.path)
    assert "three" not in page.turns[0].select_one(".turn__reply").get_text()

    render_in_other_process(turn_id, portal, monkeypatch)
    with alice.follow(turn_id, after=cursor_of(page), turn=page.turns[0]) as stream:
        stream.read_until("three")
        call.complete()
        stream.remaining_events()
        assert stream.text == "".join(pieces).strip()


def test_unknown_cursor_receives_the_whole_reply(alice: Person, upstream: Upstream):
    _, turn_id, call = begun(alice, upstream)
    with alice.follow(turn_id) as stream:
        call.delta("All of it")
        stream.read_until("All of it")

    shown = {}
    for cursor in ("999", "-1", "1.5", "x", "1;2", "9" * 40):
        with alice.follow(turn_id, last_event_id=cursor) as stream:
            stream.next_frame()
            shown[cursor] = stream.html.strip()
    assert shown == dict.fromkeys(shown, "<p>All of it</p>")
    call.complete()


def test_late_reader_receives_the_end_at_once(alice: Person, upstream: Upstream):
    page, turn_id, call = begun(alice, upstream)
    call.complete("Over")
    wait_for_reply(alice, page)

    for cursor in ("", "1", "2", "77"):
        with alice.follow(turn_id, last_event_id=cursor) as stream:
            end, done = stream.remaining_events()
        assert "Over" in end.data
        assert done.name == "done"


def test_progress_is_shown_until_text_arrives(alice: Person, upstream: Upstream):
    _, turn_id, call = begun(alice, upstream)
    with alice.follow(turn_id) as stream:
        call.send_event(type="progress", progress={"stage": "thinking", "percent": None})
        stream.read_until("Thinking…")
        call.delta("Hi")
        frame = stream.next_frame()
    call.complete()

    assert frame.select_one(f'hx-partial[hx-target="#turn-{turn_id}-progress"]').get_text() == ""


def test_closing_the_portal_releases_readers_and_keeps_the_text(
    alice: Person, upstream: Upstream, portal: Portal
):
    page, turn_id, call = begun(alice, upstream)
    with alice.follow(turn_id) as stream:
        call.delta("Said before closing")
        stream.read_until("Said before closing")
        portal.log.close()
        stream.remaining_events()

    assert call.wait_for_disconnect()
    page = alice.get(page.path)
    assert page.reply_states == ["interrupted"]
    assert "Said before closing" in page.text


def test_quiet_stream_sends_keep_alive_events_visible_to_scripts(
    alice: Person, upstream: Upstream, portal: Portal
):
    portal.log.keepalive_seconds = 0.01
    _, turn_id, call = begun(alice, upstream)
    seen = b""
    with alice.follow(turn_id) as stream:
        while seen.count(b"event: ping\n") < 3:
            seen += next(stream.chunks())
    call.complete("ok")

    assert b"event: ping\ndata: \n\n" in seen


def test_silence_that_a_page_reports_is_at_most_7_seconds_and_two_keep_alive_events():
    script = (STATIC / "js" / "reconnection.js").read_text()
    found = re.search(r"\bSILENCE_MS = (\d+);", script)
    assert found

    assert 2 * Log.keepalive_seconds * 1000 < int(found[1]) <= 7000


def test_frames_are_flushed_with_and_without_compression(alice: Person, upstream: Upstream):
    for accepted, encoding in {"gzip, deflate, br": "gzip", "br": None}.items():
        alice.session.headers["Accept-Encoding"] = accepted
        _, turn_id, call = begun(alice, upstream)
        with alice.follow(turn_id) as stream:
            for words in ("One, ", "two, ", "three"):
                call.delta(words)
                stream.read_until(words)
            call.complete()
            assert stream.remaining_events()[-1].name == "done"

        assert stream.response.headers.get("Content-Encoding") == encoding
        assert "Accept-Encoding" in stream.response.headers["Vary"]


@pytest.mark.usefixtures("processes")
def test_stream_of_a_long_reply_is_smaller_than_its_text(alice: Person, upstream: Upstream):
    _, turn_id, call = begun(alice, upstream)
    lines = [f"{number}. The *{number}th* thing, `{number * 7919:x}`\n" for number in range(1000)]
    size = 0
    with alice.follow(turn_id) as stream:
        for line in lines:
            call.delta(line)
        call.complete()
        while chunk := stream.response.raw.read1(65536):
            size += len(chunk)

    assert size < len("".join(lines))
