"""The pages beside the conversation itself, and what every answer carries."""

from __future__ import annotations

import sqlite3

import pytest

import database
from tests.person import HTMX, Person, ended, say_and_hear
from tests.upstream import TWINS, Upstream


def test_the_gallery_lists_twins_by_name(alice: Person, upstream: Upstream):
    page = alice.get("/")

    assert page.html.h1.get_text() == "Twins"
    assert [a.get_text() for a in page.html.select("li h2 a")] == ["Ada", "Odd"]
    assert page.html.select_one("input[type=search]")["aria-label"] == "Search twins"
    assert len(upstream.calls) == 1


def test_the_gallery_costs_no_call_while_its_list_is_fresh(alice: Person, upstream: Upstream):
    for _ in range(5):
        alice.get("/")
        alice.get("/twins/ada")

    assert len(upstream.calls) == 1


@pytest.mark.parametrize(
    ("q", "found"), [("ADA", ["Ada"]), ("how things", ["Ada"]), ("nobody", [])]
)
def test_the_gallery_finds_words_in_names_and_descriptions(alice: Person, q: str, found):
    page = alice.get(f"/?q={q}")

    assert [a.get_text() for a in page.html.select("li h2 a")] == found


def test_htmx_gets_the_list_alone(alice: Person):
    page = alice.get("/?q=ada", **HTMX)

    assert page.html.html is None
    assert page.html.select_one("#twins li")
    assert "HX-Request" in page.response.headers["Vary"]


def test_an_empty_gallery_says_so(alice: Person, upstream: Upstream):
    upstream.twins = []

    assert "There are no twins yet" in alice.get("/").text


def test_a_gallery_without_its_service_says_so(alice: Person, upstream: Upstream):
    upstream.stop()
    page = alice.get("/")

    assert page.status == 200
    assert "The service cannot be reached." in page.text


def test_a_twin_whose_id_holds_any_character_has_its_page(alice: Person, upstream: Upstream):
    link = alice.get("/").html.select_one("li:nth-of-type(2) h2 a")["href"]
    page = alice.get(link)

    assert page.html.h1.get_text() == "Odd"
    page = alice.press(page, "Send", content="hello")
    assert upstream.next_call().path.endswith("/messages/stream")
    assert [c.body["twinId"] for c in upstream.calls if c.path.endswith("conversations")] == [
        TWINS[1]["id"]
    ]
    assert page.states == ["waiting"]


def test_a_twin_that_is_not_there_is_404(alice: Person):
    page = alice.get("/twins/nobody")

    assert page.status == 404
    assert page.html.h1.get_text() == "Not found"


def test_names_and_words_are_only_text(alice: Person, upstream: Upstream):
    evil = "<script>alert(1)</script><img src=x onerror=alert(1)>"
    upstream.twins = [
        {"id": "x", "name": evil, "description": evil, "greeting": evil, "starters": [evil]}
    ]
    gallery, twin = alice.get("/"), alice.get("/twins/x")
    page = say_and_hear_from(alice, upstream, evil)

    for each in (gallery, twin, page, alice.get("/conversations")):
        assert each.html.select("script:not([src])") == []
        assert each.html.select("img") == []
        assert "alert(1)" in each.text


def say_and_hear_from(alice: Person, upstream: Upstream, words: str):
    page = alice.begin(words, twin="x")
    upstream.next_call().begin().complete(words)
    return ended(alice, page)


def test_conversations_are_listed_and_filtered(alice: Person, bob: Person, upstream: Upstream):
    assert "Nothing here yet" in alice.get("/conversations").text
    say_and_hear(alice, upstream, "About engines", "Yes")
    page = alice.get("/twins/" + "a%2Fb%20c%3F%23%C3%BC")
    alice.press(page, "Send", content="About nothing")
    upstream.next_call().begin().complete("Right")

    def titles(path: str) -> list[str]:
        return [a.get_text() for a in alice.get(path).html.select(".rows > li > a")]

    assert titles("/conversations") == ["About nothing", "About engines"]
    assert titles("/conversations?twin=ada") == ["About engines"]
    assert titles("/conversations?q=NOTHING") == ["About nothing"]
    assert titles("/conversations?page=99") == ["About nothing", "About engines"]
    assert bob.get("/conversations").html.select(".rows li") == []


def test_looking_at_conversations_costs_no_call(alice: Person, upstream: Upstream):
    page = say_and_hear(alice, upstream, "Hello", "Hi")
    before = len(upstream.calls)
    for path in (page.path, "/conversations", page.path):
        alice.get(path)

    assert len(upstream.calls) == before


def test_a_long_conversation_opens_at_its_newest_turns(alice: Person, upstream: Upstream):
    page = say_and_hear(alice, upstream, "turn 1", "ok")
    for number in range(2, 24):
        page = alice.press(page, "Send", content=f"turn {number}")
        upstream.next_call().begin().complete("ok")
        page = ended(alice, page)

    assert [t.select_one(".turn__said").get_text()[5:] for t in page.turns] == [
        f"turn {number}" for number in range(4, 24)
    ]
    older = alice.get(page.html.find("a", string="Earlier turns")["href"])
    assert len(older.turns) == 0 or older.turns[0].select_one(".turn__said")
    assert [t.select_one(".turn__said").get_text()[5:] for t in older.turns] == [
        f"turn {number}" for number in range(1, 4)
    ]
    assert older.html.find("a", string="To the newest turn")


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"name": " "}, "Give the key a name"),
        ({"name": "x" * 101}, "Give the key a name"),
        ({"scope": "everything"}, "Choose what the key may do"),
        ({"jwt": "not a token"}, "Paste a JWT"),
        ({"jwt": "a.b.c\r\nX-Evil: 1"}, "Paste a JWT"),
    ],
)
def test_a_key_that_cannot_be_made_is_refused_here(
    alice: Person, upstream: Upstream, fields: dict[str, str], sentence: str
):
    good = {"name": "laptop", "scope": "read_only", "jwt": "a.b.c"}
    page = alice.press(alice.get("/keys"), "Make a key", **(good | fields))

    assert page.status == 422
    assert sentence in page.text
    assert upstream.calls == []


def test_a_jwt_that_the_service_refuses_is_told(alice: Person, upstream: Upstream):
    upstream.answers["/api/v1/auth/api-keys"] = 401, {"error": "expired"}
    form = alice.get("/keys")
    page = alice.press(form, "Make a key", name="laptop", scope="read_only", jwt="a.b.c")

    assert page.status == 403
    assert "did not accept this JWT" in page.text
    assert page.html.select_one("#name")["value"] == "laptop"
    assert "a.b.c" not in page.response.text


def test_health(alice: Person, upstream: Upstream):
    assert alice.get("/healthz").response.text == "ok\n"
    assert alice.get("/readyz").response.text == "ok\n"
    assert upstream.calls == []


@pytest.mark.parametrize("path", ["/", "/twins/ada", "/conversations", "/keys", "/nowhere"])
def test_every_page_carries_its_headers(alice: Person, path: str):
    headers = alice.get(path).response.headers

    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cache-Control"] == "no-store"
    assert headers["Referrer-Policy"] == "same-origin"


def test_assets_are_kept_for_ever_by_their_hash(alice: Person):
    style = alice.get("/").html.select_one("link[rel=stylesheet]")["href"]
    answer = alice.get(style).response
    stale = alice.get(style.replace(style.split("/")[2], "0" * 16)).response

    assert "immutable" in answer.headers["Cache-Control"]
    assert answer.headers["Content-Encoding"] == "gzip"
    assert stale.text == answer.text
    assert stale.headers["Cache-Control"] == "no-store"
    assert alice.get("/static/0/../config.py").status == 404


@pytest.mark.parametrize("secure", [False, True])
def test_the_cookie_is_secure_where_the_way_is(app, secure: bool):
    answer = app.test_client().get("/keys", base_url=f"http{'s' * secure}://localhost")

    cookie = answer.headers["Set-Cookie"]
    assert ("Secure" in cookie) is secure
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert ("Strict-Transport-Security" in answer.headers) is secure


def test_a_broken_session_is_a_new_one(alice: Person, app, portal):
    alice.get("/keys")
    with portal.database.write() as connection:
        connection.exec_driver_sql("UPDATE sessions SET data = x'80036300'")

    assert alice.get("/keys").status == 200


def test_a_database_that_is_locked_keeps_the_words(
    alice: Person, upstream: Upstream, settings, monkeypatch: pytest.MonkeyPatch
):
    form = alice.get("/twins/ada")
    monkeypatch.setattr(database, "GIVE_UP_SECONDS", 0.0)
    other = sqlite3.connect(settings["data_dir"] / "portal.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    page = alice.press(form, "Send", content="words worth keeping")

    other.close()
    assert page.status == 503
    assert "Nothing was sent" in page.text
    assert page.html.select_one("textarea").get_text() == "words worth keeping"
    assert upstream.sent() == []


@pytest.mark.parametrize(
    "path", ["/conversations?q=%00", "/conversations/%00", "/?q=%00", "/twins/%00"]
)
def test_an_address_with_a_nul_is_not_there(alice: Person, path: str):
    assert alice.get(path).status == 404


def test_numbers_out_of_range_do_no_harm(alice: Person, upstream: Upstream):
    page = say_and_hear(alice, upstream, "Hello", "Hi")

    for query in ("before=" + "9" * 30, "before=-1", "before=x", "look=" + "9" * 30):
        assert alice.get(f"{page.path}?{query}").status == 200
    assert alice.get("/conversations?page=" + "9" * 30).status == 200


def test_a_form_that_is_far_too_large_is_refused_with_a_sentence(alice: Person, upstream: Upstream):
    page = alice.begin("x" * 2_000_000)

    assert page.status == 413
    assert "too large" in page.text


def test_a_message_of_emoji_is_as_long_as_any_other(alice: Person, upstream: Upstream):
    alice.begin("🙂" * 32_000)
    call = upstream.next_call()

    assert call.body["content"] == "🙂" * 32_000
    assert int(call.headers["Content-Length"]) < 256 * 1024
    call.begin().complete("ok")


def test_reloading_the_page_of_a_new_key_makes_no_other(alice: Person, upstream: Upstream):
    upstream.answers["/api/v1/auth/api-keys"] = 201, {"data": {"key": "tw_once"}}
    action, fields = alice.get("/keys").action("Make a key")
    fields |= {"name": "laptop", "scope": "read_only", "jwt": "a.b.c"}

    first, second = alice.post(action, fields), alice.post(action, fields)

    assert "tw_once" in first.text
    assert (second.status, "tw_once" in second.text) == (409, False)
    assert len(upstream.calls) == 1
