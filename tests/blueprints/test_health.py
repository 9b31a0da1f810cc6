"""Health endpoints for orchestrators, load balancers and monitoring."""

from __future__ import annotations

import sqlite3

from tests.support.person import Person
from tests.support.upstream import Upstream
from twindow.web.container import Portal


def test_portal_with_a_locked_database_is_live_but_not_ready(alice: Person, portal: Portal):
    portal.database.lock_timeout = 0.0
    other = sqlite3.connect(str(portal.database.engine.url.database), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    paths = "/livez", "/healthz", "/readyz"

    assert [alice.get(path).status for path in paths] == [200, 200, 503]
    other.execute("ROLLBACK")
    other.close()
    assert [alice.get(path).status for path in paths] == [200, 200, 200]


def test_health_endpoints_answer_without_calling_the_service(alice: Person, upstream: Upstream):
    assert [alice.get(path).response.text for path in ("/healthz", "/readyz")] == ["ok\n"] * 2
    assert upstream.calls == []
