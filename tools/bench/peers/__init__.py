"""Twindow compared with two other packages, measured in the same way."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser

from tools.bench import page, replies, servers, visits
from tools.bench.chat_site import Site, launch_chromium, twindow
from tools.bench.conversation_setup import create_conversation
from tools.bench.peers import screenshots
from tools.bench.peers.peer import PEERS, Peer
from tools.bench.replies import MAX_REPLY_SECONDS, ReplySpec
from tools.bench.scripted_service import history_reply_end
from tools.bench.servers import ScriptedService
from tools.bench.table import Row, Table
from tools.bench.visits import PreparedConversation

SHORT_REPLY_DELTAS = 2_000
ROUNDS = 3


def measure(venvs_dir: Path, deltas: int, screenshots_dir: Path | None) -> list[Table]:
    """Measure Twindow and both peers; save screenshots if a folder is given."""
    for peer in PEERS:
        peer.install(venvs_dir)
    specs = [
        ReplySpec("mixed", SHORT_REPLY_DELTAS),
        ReplySpec("mixed", deltas),
        *page.FIXED_LENGTH_REPLIES,
    ]
    with (
        servers.run_scripted_service() as service,
        servers.run_portal(service) as portal,
        launch_chromium() as browser,
    ):
        site = twindow(portal)
        reply_rows = [replies.measure(browser, site, service, one) for one in specs]
        conversations = [create_conversation(portal.url, turns) for turns in page.TURN_COUNTS]
        conversation_rows = [
            visits.measure_conversation(browser, site, one, MAX_REPLY_SECONDS)
            for one in conversations
        ]
        with _run_all_sites(venvs_dir, service, site) as sites:
            first_page_rows = visits.measure_first_pages(browser, sites, ROUNDS)
            if screenshots_dir:
                screenshots.take_screenshots(browser, sites, screenshots_dir)
            for other in sites[1:]:
                reply_rows += [replies.measure(browser, other, service, one) for one in specs]
        for peer in PEERS:
            conversation_rows += [
                _measure_conversation(browser, peer, venvs_dir, service, turns)
                for turns in page.TURN_COUNTS
            ]
    return [
        Table(page.FIRST_PAGE_TITLE, first_page_rows),
        Table(page.CONVERSATION_TITLE, conversation_rows),
        Table(page.REPLY_TITLE, reply_rows),
    ]


@contextmanager
def _run_all_sites(
    venvs_dir: Path, service: ScriptedService, twindow: Site
) -> Iterator[list[Site]]:
    first, second = PEERS
    with first.run(venvs_dir, service) as one, second.run(venvs_dir, service) as other:
        yield [twindow, one, other]


def _measure_conversation(
    browser: Browser, peer: Peer, venvs_dir: Path, service: ScriptedService, turns: int
) -> Row:
    with peer.run(venvs_dir, service, turns) as site:
        conversation = PreparedConversation(site.url, turns, history_reply_end(turns))
        return visits.measure_conversation(browser, site, conversation, MAX_REPLY_SECONDS)
