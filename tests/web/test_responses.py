"""Properties of all responses: headers, caching, compression, sessions and bad requests."""

from __future__ import annotations

import time

import pytest
from flask import Flask
from sqlalchemy import select, update

from tests.support.clock import AdjustableClock
from tests.support.person import Person
from tests.support.upstream import Upstream
from twindow.web import MAX_FORM_BYTES
from twindow.web.assets import bundles
from twindow.web.assets.bundles import COMPRESSORS
from twindow.web.assets.warm_up import warm_up
from twindow.web.container import Portal
from twindow.web.session.rows import SessionRows, sessions


@pytest.mark.settings(frame_ancestors="https://www.example.org, http://localhost:3000")
def test_pages_name_the_origins_that_may_frame_them(alice: Person):
    headers = alice.get("/").response.headers

    policy = headers["Content-Security-Policy"].split(";")
    assert "frame-ancestors http://localhost:3000 https://www.example.org" in policy
    assert "X-Frame-Options" not in headers


def test_assets_are_immutable_under_their_hash(alice: Person):
    style = alice.get("/").html.select_one("link[rel=stylesheet]")["href"]
    answer = alice.get(style).response
    stale = alice.get(style.replace(style.split("/")[2], "0" * 16)).response

    assert "immutable" in answer.headers["Cache-Control"]
    assert stale.text == answer.text
    assert stale.headers["Cache-Control"] == "no-store"
    assert alice.get("/static/0/../twindow/core/settings/settings.py").status == 404


def test_static_files_are_served_without_loading_a_session(
    alice: Person, monkeypatch: pytest.MonkeyPatch
):
    page = alice.get("/keys").html
    asked: list[str] = []
    monkeypatch.setattr(SessionRows, "get", lambda _, key: asked.append(key))

    for place in ("link[rel=stylesheet]", "link[rel=icon]", "link[rel=manifest]"):
        assert alice.get(str(page.select_one(place)["href"])).status == 200
    assert asked == []


def test_first_request_compiles_and_compresses_nothing(
    app: Flask, alice: Person, upstream: Upstream, monkeypatch: pytest.MonkeyPatch
):
    bundles._compress.cache_clear()
    warm_up(app, lambda work: work)
    assert upstream.calls == []
    monkeypatch.setattr(app.jinja_env, "compile", _too_late)
    monkeypatch.setitem(COMPRESSORS, "br", _too_late)

    pages = [alice.get("/twins/ada", **{"Accept-Language": code}) for code in ("en", "de")]
    links = pages[1].html.select("link:is([rel=stylesheet], [rel=icon]), script[src]")
    files = [alice.get(str(link.get("href") or link.get("src"))) for link in links]

    assert len(files) >= 4
    assert {answer.status for answer in (*pages, *files)} == {200}


def _too_late(*_: object, **__: object) -> None:
    raise AssertionError("not ready")


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [("gzip, deflate, br, zstd", "br"), ("gzip, br;q=0", "gzip"), ("identity", None)],
)
def test_pages_and_assets_are_compressed_as_the_browser_accepts(
    alice: Person, accepted: str, encoding: str | None
):
    style = str(alice.get("/keys").html.select_one("link[rel=stylesheet]")["href"])

    for path, text in (("/keys", "<h1>API keys</h1>"), (style, ".button")):
        answer = alice.get(path, **{"Accept-Encoding": accepted}).response
        assert answer.headers.get("Content-Encoding") == encoding
        assert "Accept-Encoding" in answer.headers["Vary"]
        assert text in answer.text


def test_reading_pages_extends_a_session_at_most_once_a_day(
    alice: Person, upstream: Upstream, portal: Portal, clock: AdjustableClock
):
    def days_left() -> list[int]:
        with portal.database.read() as connection:
            ends = connection.execute(select(sessions.c.expires_at)).scalars()
            return [round((end - clock.time()) / 86_400) for end in ends]

    alice.start_conversation("Hello")
    upstream.next_call().start_stream().complete("Hi")
    alice.get("/conversations")
    with portal.database.write() as connection:
        connection.execute(update(sessions).values(expires_at=clock.time() + 2 * 86_400))
    alice.get("/conversations")
    assert days_left() == [2], "once a day"
    clock.advance(86_400)
    alice.get("/conversations")
    assert days_left() == [365]


def test_expired_sessions_are_purged_but_not_on_every_write(
    alice: Person, bob: Person, portal: Portal
):
    def keys() -> set[str]:
        with portal.database.read() as connection:
            return set(connection.execute(select(sessions.c.key)).scalars())

    alice.press(alice.get("/preferences"), "Save", theme="dark")
    hers = keys()
    with portal.database.write() as connection:
        connection.execute(update(sessions).values(expires_at=time.time() - 1))
    bob.press(bob.get("/preferences"), "Save", theme="dark")
    assert keys() > hers

    SessionRows(portal.database).add("another", seconds=60)
    assert keys().isdisjoint(hers)


def test_unreadable_session_is_replaced_by_a_new_one(alice: Person, portal: Portal):
    alice.press(alice.get("/preferences"), "Save", theme="dark")
    with portal.database.write() as connection:
        connection.exec_driver_sql("UPDATE sessions SET data = x'80036300'")

    assert "data-theme" not in alice.get("/keys").html.html.attrs
    alice.press(alice.get("/preferences"), "Save", theme="dark")
    assert alice.get("/keys").html.html["data-theme"] == "dark"


def test_url_with_a_nul_character_is_not_found(alice: Person):
    paths = "/conversations?q=%00", "/conversations/%00", "/?q=%00", "/twins/%00"
    assert [path for path in paths if alice.get(path).status != 404] == []


@pytest.mark.limit("L2")
def test_oversized_form_is_rejected_with_a_sentence(alice: Person, upstream: Upstream):
    page = alice.start_conversation("x" * 10 * MAX_FORM_BYTES)

    assert page.status == 413
    assert "too large" in page.text


def test_message_of_emoji_may_have_the_maximum_length(alice: Person, upstream: Upstream):
    alice.start_conversation("🙂" * 32_000)
    call = upstream.next_call()

    assert call.body["content"] == "🙂" * 32_000
    assert int(call.headers["Content-Length"]) < 256 * 1024
    call.start_stream().complete("ok")


@pytest.mark.limit("L2")
def test_form_of_very_many_fields_is_rejected_before_it_is_parsed(alice: Person):
    fields = alice.get("/preferences").hidden_fields("/preferences")
    fields |= {f"field-{number}": "" for number in range(1_000)}
    url = f"{alice.base_url}/preferences"

    assert alice.session.post(url, data=fields, timeout=10).status_code == 413
    multipart = {name: (None, value) for name, value in fields.items()}
    assert alice.session.post(url, files=multipart, timeout=10).status_code == 413
