"""Pages without a database."""

from __future__ import annotations

import pytest

from tests.faults.databases.conftest import (
    POSTGRESQL,
    SESSIONS,
    Database,
)
from tests.person import Person
from tests.upstream import Upstream


@pytest.mark.fault("F75")
@SESSIONS
@pytest.mark.parametrize("kind", [POSTGRESQL], indirect=True)
@pytest.mark.parametrize("path", ["/", "/conversations", "/readyz"])
def test_a_page_says_that_the_database_is_gone(
    alice: Person, upstream: Upstream, database: Database, path: str
):
    alice.get("/twins/ada")
    database.go()

    page = alice.get(path)

    assert page.status == 503
    assert "Traceback" not in page.text
    assert len(page.text.split(".")) > 1
    database.come_back()
    assert alice.get(path).status == 200


@pytest.mark.fault("F75")
@SESSIONS
@pytest.mark.parametrize("kind", [POSTGRESQL], indirect=True)
def test_what_needs_no_database_does_without(alice: Person, database: Database):
    style = alice.get("/").html.select_one("link[rel=stylesheet]")["href"]
    database.go()

    assert alice.get(style).status == 200
