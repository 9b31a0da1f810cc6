"""A page that stays open while the portal is killed and restarted."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.journeys.steps import turn
from tests.support.processes import ServerProcess, free_port, run_portal
from tests.support.upstream import Upstream

# The page reconnects at growing intervals while the portal is down.
BACK_MS = 20_000


@pytest.mark.fault("F71")
def test_open_page_shows_that_its_reply_was_interrupted_by_a_portal_crash(
    browser: Browser, processes: None, upstream: Upstream, tmp_path: Path
):
    port = str(free_port())
    context = browser.new_context()
    context.clock.install()
    page = context.new_page()
    with run_portal(tmp_path, upstream.url, PORT=port) as portal:
        start_streaming_reply(page, portal, upstream)
        portal.kill()
    delete_heartbeats(tmp_path)
    with run_portal(tmp_path, upstream.url, PORT=port):
        page.clock.run_for(BACK_MS)
        cut = turn(page, "interrupted")
        expect(cut).to_contain_text("Half of it")
        expect(cut.locator(".note")).to_contain_text("interrupted by a restart")
        expect(cut.get_by_role("button", name="Try again")).to_be_visible()
    context.close()


def start_streaming_reply(page, portal: ServerProcess, upstream: Upstream) -> None:
    page.goto(f"{portal.url}/twins/ada")
    page.get_by_role("textbox", name="Message").fill("Hello")
    page.get_by_role("button", name="Send").click()
    call = upstream.next_call().start_stream()
    call.delta("Half of it")
    expect(turn(page, "streaming")).to_contain_text("Half of it")
    page.reload()  # the portal stores the text during the reload
    expect(turn(page, "streaming")).to_contain_text("Half of it")


def delete_heartbeats(data: Path) -> None:
    """Delete the killed portal's heartbeat, so that the new portal does not wait for its expiry."""
    with closing(sqlite3.connect(data / "portal.db")) as database, database:
        assert database.execute("DELETE FROM workers").rowcount == 1
