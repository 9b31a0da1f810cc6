"""Sessions: any cookie of a browser is answered, on both databases."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from flask import Flask, current_app, session
from sqlalchemy import select

from chat.schema import sessions
from tests.support.cases import failures
from tests.support.person import Person
from tests.support.upstream import Upstream
from web.container import Portal


@pytest.fixture
def settings(tmp_path: Path, upstream: Upstream, database_url: str) -> dict[str, Any]:
    """Run the portal on each kind of database."""
    there = {"data_dir": tmp_path / "data", "database_url": database_url}
    return there | {"api_url": upstream.url, "api_key": "key"}


def stored_rows(portal: Portal) -> list[Any]:
    with portal.database.read() as connection:
        return list(connection.execute(select(sessions)).all())


def save_preferences(person: Person) -> None:
    assert person.press(person.get("/preferences"), "Save", theme="dark").status == 200


def test_invalid_session_cookie_starts_a_new_session(alice: Person):
    def check(cookie: str) -> None:
        for path in ("/", "/twins/ada", "/conversations"):
            assert alice.get(path, Cookie=f"twindow={cookie}").status == 200

    cookies = '"\\000"', '"a\\000b"', "x" * 3_000, '"\\303\\050"'
    assert failures(check, {cookie: cookie for cookie in cookies}) == {}


def test_slow_request_keeps_what_others_have_stored_meanwhile(alice: Person, app: Flask):
    save_preferences(alice)
    cookie = {"Cookie": f"twindow={alice.session.cookies['twindow']}"}

    with app.test_request_context("/", headers=cookie):
        session["seen"] = 1
        with app.test_request_context("/", headers=cookie):
            session["person"] = "alice"
            del session["preferences"]
            finish_request()
        finish_request()

    with app.test_request_context("/", headers=cookie):
        assert (session["person"], session["seen"]) == ("alice", 1)
        assert session.permanent
        assert "preferences" not in session


def test_slow_request_does_not_restore_an_ended_session(alice: Person, app: Flask, portal: Portal):
    save_preferences(alice)
    cookie = {"Cookie": f"twindow={alice.session.cookies['twindow']}"}

    with app.test_request_context("/", headers=cookie):
        session["seen"] = 1
        with app.test_request_context("/", headers=cookie):
            session.clear()
            finish_request()
        response = finish_request()

    assert stored_rows(portal) == []
    assert "Set-Cookie" not in response.headers


def finish_request() -> Any:
    """Save the session as at the end of a request, and return the response."""
    return current_app.process_response(current_app.make_response("ok"))
