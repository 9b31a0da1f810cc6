"""The stream of a reply: whole, from any cursor, for whoever looks."""

import pytest

from tests.conftest import close, served
from tests.person import Page, Person, ended
from tests.upstream import Upstream


def begun(alice: Person, upstream: Upstream):
    page = alice.begin("hello")
    return page, str(page.turns[0]["data-turn"]), upstream.next_call().begin()


def test_text_is_appended_and_the_end_replaces_the_turn(alice: Person, upstream: Upstream):
    _, turn_id, call = begun(alice, upstream)

    with alice.follow(turn_id) as stream:
        call.delta("One <b>")
        first = stream.next().select_one(f'hx-partial[hx-target="#turn-{turn_id}-text"]')
        call.delta(" two")
        second = stream.next().select_one(f'hx-partial[hx-target="#turn-{turn_id}-text"]')
        call.complete("One **two**")
        end, done = stream.rest()

    assert (first["hx-swap"], first.get_text()) == ("innerHTML", "One <b>")
    assert (second["hx-swap"], second.get_text()) == ("beforeend", " two")
    assert f'<hx-partial hx-target="#turn-{turn_id}" hx-swap="outerHTML">' in end.data
    assert "<strong>two</strong>" in end.data
    assert "hx-sse:connect" not in end.data
    assert done.name == "done"


def test_a_reader_who_comes_back_gets_what_they_missed(alice: Person, upstream: Upstream):
    _, turn_id, call = begun(alice, upstream)
    with alice.follow(turn_id) as stream:
        call.delta("One")
        stream.until("One")
    with alice.follow(turn_id) as stream:
        call.delta(" two")
        stream.until(" two")

    with alice.follow(turn_id, after=0, last_id="1") as stream:
        missed = stream.next().select_one(f'hx-partial[hx-target="#turn-{turn_id}-text"]')

    assert (missed["hx-swap"], missed.get_text()) == ("beforeend", " two")
    call.complete()


@pytest.mark.parametrize("cursor", ["999", "-1", "1.5", "x", "1;2", "9" * 40])
def test_an_unknown_cursor_gets_the_whole_reply(alice: Person, upstream: Upstream, cursor: str):
    _, turn_id, call = begun(alice, upstream)
    with alice.follow(turn_id) as stream:
        call.delta("All of it")
        stream.until("All of it")

    with alice.follow(turn_id, last_id=cursor) as stream:
        whole = stream.next().select_one(f'hx-partial[hx-target="#turn-{turn_id}-text"]')

    assert (whole["hx-swap"], whole.get_text()) == ("innerHTML", "All of it")
    call.complete()


def test_the_page_begins_where_the_stream_goes_on(alice: Person, upstream: Upstream):
    page, turn_id, call = begun(alice, upstream)
    with alice.follow(turn_id) as stream:
        call.delta("So far")
        stream.until("So far")

    page = alice.get(page.path)
    connect = str(page.turns[0]["hx-sse:connect"])
    call.delta(", so good")
    with alice.follow(turn_id, after=connect.partition("after=")[2]) as stream:
        rest = stream.next().select_one(f'hx-partial[hx-target="#turn-{turn_id}-text"]')

    assert page.states == ["streaming"]
    assert page.html.select_one(".turn__reply--plain").get_text() == "So far"
    assert (rest["hx-swap"], rest.get_text()) == ("beforeend", ", so good")
    call.complete()


def test_a_late_reader_gets_the_end_at_once(alice: Person, upstream: Upstream):
    page, turn_id, call = begun(alice, upstream)
    call.complete("Over")
    ended(alice, page)

    for cursor in ("", "1", "2", "77"):
        with alice.follow(turn_id, last_id=cursor) as stream:
            end, done = stream.rest()
        assert "Over" in end.data
        assert done.name == "done"


def test_the_producer_does_not_need_readers(alice: Person, upstream: Upstream):
    page, turn_id, call = begun(alice, upstream)
    with alice.follow(turn_id) as stream:
        call.delta("Half")
        stream.until("Half")
    call.delta(" and half")
    call.complete()

    assert "Half and half" in ended(alice, page).text


def test_progress_is_shown_until_there_is_text(alice: Person, upstream: Upstream):
    _, turn_id, call = begun(alice, upstream)
    with alice.follow(turn_id) as stream:
        call.send(type="progress", progress={"stage": "thinking", "percent": None})
        stream.until("Thinking…")
        call.delta("Hi")
        frame = stream.next()
    call.complete()

    assert frame.select_one(f'hx-partial[hx-target="#turn-{turn_id}-progress"]').get_text() == ""


def test_words_cannot_become_fields_of_the_stream(alice: Person, upstream: Upstream):
    words = "a\r\n\r\nevent: done\r\nid: 7\r\n\r\ndata: b\u2028c\n\n: d"
    _, turn_id, call = begun(alice, upstream)

    with alice.follow(turn_id) as stream:
        call.delta(words)
        event = next(iter(stream))
        call.complete()
        rest = stream.rest()

    shown = Page.read(event.data).select_one(f'hx-partial[hx-target="#turn-{turn_id}-text"]')
    assert shown.get_text() == words.replace("\r\n", "\n")
    assert [event.name for event in rest] == ["message", "done"]


def test_a_reply_whose_portal_died_is_told_to_be_cut_off(
    alice: Person, upstream: Upstream, app, settings, portal, monkeypatch
):
    import app as twindow

    page, turn_id, call = begun(alice, upstream)
    with alice.follow(turn_id) as stream:
        call.delta("Said before the crash")
        stream.until("Said before the crash")
    portal.log.flush()
    monkeypatch.setattr("chat.heartbeat.LOST_SECONDS", 0.0)

    other = twindow.create_app(settings)
    with served(other) as url:
        alice.base_url = url
        page = alice.get(page.path)
    close(other)

    assert page.states == ["interrupted"]
    assert "Said before the crash" in page.text
    assert "Twindow was restarted" in page.text
    assert page.action("Retry")


def test_closing_the_portal_lets_readers_go_and_keeps_the_text(
    alice: Person, upstream: Upstream, portal
):
    page, turn_id, call = begun(alice, upstream)
    with alice.follow(turn_id) as stream:
        call.delta("Said before closing")
        stream.until("Said before closing")
        portal.log.close()
        stream.rest()

    assert call.wait_for_hangup()
    page = alice.get(page.path)
    assert page.states == ["interrupted"]
    assert "Said before closing" in page.text


def test_a_quiet_reply_beats(alice: Person, upstream: Upstream, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("chat.log.QUIET_SECONDS", 0.01)
    _, turn_id, call = begun(alice, upstream)
    seen = b""
    with alice.follow(turn_id) as stream:
        while seen.count(b": keep-alive\n\n") < 3:
            seen += stream.response.raw.read1(65536)
    call.complete("ok")
