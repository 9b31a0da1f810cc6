"""Twindow beside two others that install from packages, measured in the same way."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser

from tools.bench import page, replies, servers, visits
from tools.bench.filling import filled
from tools.bench.peers import shots
from tools.bench.peers.running import PEERS, Peer
from tools.bench.replies import CAP_SECONDS, Wanted
from tools.bench.servers import Service
from tools.bench.service import past_end
from tools.bench.site import Site, chromium, twindow
from tools.bench.table import Row, Table
from tools.bench.visits import Opened

SHORT = 2_000
ROUNDS = 3


def measured(folder: Path, deltas: int, pictures: Path | None) -> list[Table]:
    """Measure all three, and take pictures if there is a place for them."""
    for peer in PEERS:
        peer.install(folder)
    wanted = [Wanted("mixed", SHORT), Wanted("mixed", deltas), *page.OTHERS]
    with servers.scripted() as service, servers.portal(service) as portal, chromium() as browser:
        site = twindow(portal)
        written = [replies.measure(browser, site, service, one) for one in wanted]
        old = [filled(portal.url, turns) for turns in page.TURNS]
        opened = [visits.conversation(browser, site, one, CAP_SECONDS) for one in old]
        with _all(folder, service, site) as sites:
            pages = visits.first_pages(browser, sites, ROUNDS)
            if pictures:
                shots.taken(browser, sites, pictures)
            for other in sites[1:]:
                written += [replies.measure(browser, other, service, one) for one in wanted]
        for peer in PEERS:
            opened += [_opened(browser, peer, folder, service, turns) for turns in page.TURNS]
    return [
        Table(page.FIRST_PAGE, pages),
        Table(page.CONVERSATION, opened),
        Table(page.REPLY, written),
    ]


@contextmanager
def _all(folder: Path, service: Service, ours: Site) -> Iterator[list[Site]]:
    first, second = PEERS
    with first.serving(folder, service) as one, second.serving(folder, service) as other:
        yield [ours, one, other]


def _opened(browser: Browser, peer: Peer, folder: Path, service: Service, turns: int) -> Row:
    with peer.serving(folder, service, turns) as site:
        old = Opened(site.url, turns, past_end(turns))
        return visits.conversation(browser, site, old, CAP_SECONDS)
