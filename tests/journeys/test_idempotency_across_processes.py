"""One press sends one message despite lost responses, a restart, and two portals."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, expect

import app as twindow
from tests.journeys.steps import (
    message_box,
    press_enter_twice,
    reply_text,
    send_message,
    turn,
)
from tests.journeys.traffic import CONVERSATION_URL, drop_next_response
from tests.support.person import Person, wait_for_reply
from tests.support.portals import close_portal, serve
from tests.support.postgres import Postgres
from tests.support.tcp_proxy import TcpProxy
from tests.support.upstream import Upstream


@pytest.fixture
def url(tcp_proxy: TcpProxy) -> str:
    return tcp_proxy.url


@pytest.mark.fault("F62")
@pytest.mark.usefixtures("bad_network")
def test_message_whose_response_is_lost_is_sent_once(context: BrowserContext, upstream: Upstream):
    page = context.new_page()
    notices = page.locator("#notices")
    page.goto("/twins/ada")
    drop_next_response(page)
    send_message(page, "first")
    expect(notices).to_contain_text("Your text is saved")
    call = upstream.next_call().start_stream()
    page.get_by_role("button", name="Send").click()
    expect(page).to_have_url(CONVERSATION_URL)
    call.complete("ok")
    expect(turn(page, "complete")).to_be_visible()

    drop_next_response(page)
    send_message(page, "second")
    expect(notices).to_contain_text("Your text is saved")
    expect(message_box(page)).to_have_value("second")
    call = upstream.next_call().start_stream()
    press_enter_twice(page)
    expect(turn(page, "waiting")).to_contain_text("second")
    expect(message_box(page)).to_have_value("")
    call.delta("It is")
    expect(reply_text(page)).to_have_text("It is")
    call.complete("It is live")
    expect(reply_text(page, "complete", 1)).to_have_text("It is live")

    drop_next_response(page)
    send_message(page, "third")
    expect(notices).to_contain_text("Your text is saved")
    upstream.next_call().start_stream().complete("One")
    for _ in range(2):
        page.reload()
        expect(turn(page, "complete", 2)).to_contain_text("third")
        expect(message_box(page)).to_have_value("")  # a sent message is not kept as a draft
    assert upstream.sent_messages() == ["first", "second", "third"]


@pytest.mark.fault("F62")
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_form_submitted_to_two_portals_at_once_is_sent_once(
    settings: dict[str, Any], upstream: Upstream, request: pytest.FixtureRequest, kind: str
):
    if kind == "postgresql":
        postgres: Postgres = request.getfixturevalue("postgres")
        settings["database_url"] = postgres.create_database()
    portals = [twindow.create_app(settings) for _ in range(2)]
    with serve(portals[0]) as here, serve(portals[1]) as there, ThreadPoolExecutor(2) as pool:
        people = [Person(here), Person(there)]
        page = people[0].get("/twins/ada")
        people[1].session.cookies.update(people[0].session.cookies)
        for number, content in enumerate(("first", "second"), 1):
            action, fields = page.button_action("Send")
            presses = [
                pool.submit(person.post, action, fields | {"content": content}) for person in people
            ]
            pages = [press.result(10) for press in presses]
            upstream.next_call().start_stream().complete("ok")
            assert [page.status for page in pages] == [200, 200]
            assert pages[0].path == pages[1].path
            pages = [wait_for_reply(*each) for each in zip(people, pages, strict=True)]
            assert [page.reply_states for page in pages] == [["complete"] * number] * 2
            page = pages[0]
        for person in people:
            person.close()
    for portal in portals:
        close_portal(portal)
    assert upstream.sent_messages() == ["first", "second"]
