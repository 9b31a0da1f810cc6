"""Sessions: any cookie of a browser is answered, on both databases."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.cases import failures
from tests.support.person import Person
from tests.support.upstream import Upstream


@pytest.fixture
def settings(tmp_path: Path, upstream: Upstream, database_url: str) -> dict[str, Any]:
    """Run the portal on each kind of database."""
    there = {"data_dir": tmp_path / "data", "database_url": database_url}
    return there | {"api_url": upstream.url, "api_key": "key"}


def test_invalid_session_cookie_starts_a_new_session(alice: Person):
    def check(cookie: str) -> None:
        for path in ("/", "/twins/ada", "/conversations"):
            assert alice.get(path, Cookie=f"twindow={cookie}").status == 200

    cookies = '"\\000"', '"a\\000b"', "x" * 3_000, '"\\303\\050"'
    assert failures(check, {cookie: cookie for cookie in cookies}) == {}
