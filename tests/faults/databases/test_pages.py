"""Pages without a database: each shows an error, and static files are still served."""

from __future__ import annotations

import pytest

from tests.faults.databases.conftest import POSTGRESQL, Outage
from tests.support.person import Page, Person, complete_first_turn
from tests.support.upstream import Upstream

PATHS = ("/", "/twins/ada", "/conversations", "/readyz")

pytestmark = [
    pytest.mark.fault("F75"),
    pytest.mark.parametrize("database_kind", [POSTGRESQL], indirect=True),
]


def test_pages_are_errors_without_a_database_but_static_files_are_served(
    alice: Person, upstream: Upstream, database: Outage
):
    page = complete_first_turn(alice, upstream, "before", "Before")
    paths = (*PATHS, page.path)
    database.take_down()
    gone = [alice.get(path) for path in paths]
    style = alice.get(style_of(page))
    database.restore()

    assert [page.status for page in gone] == [503] * len(gone)
    for page in gone:
        assert "Traceback" not in page.text
        assert "." in page.text
        assert "Set-Cookie" not in page.response.headers
    assert style.status == 200
    assert [alice.get(path).status for path in paths] == [200] * len(gone)


def style_of(page: Page) -> str:
    return str(page.html.select_one("link[rel=stylesheet]")["href"])
