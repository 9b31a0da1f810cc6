"""Avatars as a browser receives them: from the portal only, and always as images."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from tests.support.cases import failures
from tests.support.images import png
from tests.support.person import Page, Person, complete_first_turn
from tests.support.upstream import Upstream
from web.container import Portal

PLACE = "/api/v1/avatars/a.png"
PICTURE = png()


@pytest.fixture(autouse=True)
def pictured(upstream: Upstream) -> None:
    upstream.twins = [{"id": "ada", "name": "Ada", "avatarUrl": PLACE}, {"id": "b/é", "name": "B"}]
    upstream.answers[PLACE] = lambda call: call.respond(200, PICTURE, content_type="text/html")


@pytest.fixture(autouse=True)
def patient(portal: Portal) -> None:
    portal.avatars.max_wait_seconds = 10.0


def faces(page: Page) -> list[str]:
    """Return the URLs of avatars in the page, except those in the sidebar and in the form."""
    return [str(img["src"]) for img in page.html.select("main img.avatar:not(.avatar--row)")]


def test_avatar_is_served_as_a_sandboxed_image(alice: Person):
    [address] = faces(alice.get("/"))

    answer = alice.get(address).response

    assert answer.content == PICTURE
    assert answer.headers["Content-Type"] == "image/png"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert answer.headers["Cache-Control"] == "private, max-age=86400, immutable"
    assert "Set-Cookie" not in answer.headers
    again = alice.get(address, **{"If-None-Match": answer.headers["ETag"]})
    assert (again.status, again.response.content) == (304, b"")


def test_twin_without_an_avatar_has_inline_initials(alice: Person, upstream: Upstream):
    [drawn] = alice.get("/").html.select(".cards svg.avatar")

    assert drawn["aria-hidden"] == "true"
    assert drawn.text.strip() == "B"
    assert [call.path for call in upstream.calls if "avatars" in call.path] == []


FAILURES: dict[str, Any] = {
    "missing": (404, {}),
    "svg": (200, b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"),
    "html": (200, b"<script>alert(1)</script>"),
    "broken off": lambda call: call.reset(),
}


def test_failed_avatar_is_replaced_by_initials(alice: Person, upstream: Upstream):
    places = {name: f"/api/v1/avatars/{number}.png" for number, name in enumerate(FAILURES)}
    upstream.twins = [
        {"id": str(number), "name": "x", "avatarUrl": place}
        for number, (name, place) in enumerate(sorted(places.items()))
    ]
    upstream.answers |= {places[name]: answer for name, answer in FAILURES.items()}
    addresses = dict(zip(sorted(places), faces(alice.get("/")), strict=True))

    def check(address: str) -> None:
        got = alice.get(address)
        assert got.status == 200
        assert got.response.headers["Content-Type"].startswith("image/svg+xml")
        assert got.response.headers["Cache-Control"] == "no-store"
        assert ">X</text>" in got.response.text

    assert failures(check, addresses) == {}
    assert {*places.values()} <= {call.path for call in upstream.calls}


def test_pages_do_not_wait_for_avatars(alice: Person, upstream: Upstream):
    upstream.unanswered_paths.add(PLACE)
    page = complete_first_turn(alice, upstream, "Hello", "Hello")

    for each in (alice.get("/"), alice.get("/twins/ada"), page):
        assert faces(each)
    assert [call.path for call in upstream.calls if "avatars" in call.path] == []


def test_all_turns_share_one_avatar_url(alice: Person, upstream: Upstream):
    page = complete_first_turn(alice, upstream, "Hello", "Hello")

    assert len(faces(page)) == 2
    assert len({*faces(page), *faces(alice.get("/twins/ada"))}) == 1


NO_FACES = [
    "/avatars/",
    "/avatars/ada",
    "/avatars/nobody/a",
    "/avatars/http://127.0.0.1/",
    "/avatars/ada/a/b",
]
UNLISTED = ["x", "http:", "127.0.0.1", "0" * 32, "..%2f..", "%00"]


def test_unlisted_avatar_is_not_requested_from_the_service(alice: Person, upstream: Upstream):
    alice.get("/")

    assert [path for path in NO_FACES if alice.get(path).status != 404] == []
    answers = {name: alice.get(f"/avatars/ada/{name}").status for name in UNLISTED}
    assert [name for name, status in answers.items() if status not in (200, 404)] == []
    assert len(upstream.calls) == 1


def test_concurrent_avatar_requests_reach_the_service_once(alice: Person, upstream: Upstream):
    [address] = faces(alice.get("/"))
    answers: list[bytes] = []
    people = [Person(alice.base_url) for _ in range(6)]
    threads = [
        threading.Thread(target=lambda p=p: answers.append(p.get(address).response.content))
        for p in people
    ]
    for thread in threads:
        thread.start()
    for thread, person in zip(threads, people, strict=True):
        thread.join(10)
        person.close()

    assert answers == [PICTURE] * 6
    assert len([call for call in upstream.calls if call.path == PLACE]) == 1
