"""Pages without a database: each says so, and what needs none does without."""

from __future__ import annotations

import pytest

from tests.faults.databases.conftest import POSTGRESQL, Database
from tests.support.person import Page, Person, say_and_hear
from tests.support.upstream import Upstream

PATHS = ("/", "/twins/ada", "/conversations", "/readyz")

pytestmark = [
    pytest.mark.fault("F75"),
    pytest.mark.parametrize("kind", [POSTGRESQL], indirect=True),
]


def test_a_page_says_that_the_database_is_gone(
    alice: Person, upstream: Upstream, database: Database
):
    conversation = say_and_hear(alice, upstream, "before", "Before").path
    database.go()
    gone = [alice.get(path) for path in (*PATHS, conversation)]
    database.come_back()

    assert [page.status for page in gone] == [503] * len(gone)
    for page in gone:
        assert "Traceback" not in page.text
        assert "." in page.text
        assert "Set-Cookie" not in page.response.headers
    assert [alice.get(path).status for path in (*PATHS, conversation)] == [200] * len(gone)


def test_what_needs_no_database_does_without(alice: Person, database: Database):
    style = style_of(alice.get("/twins/ada"))
    database.go()

    assert alice.get(style).status == 200


def style_of(page: Page) -> str:
    return str(page.html.select_one("link[rel=stylesheet]")["href"])
