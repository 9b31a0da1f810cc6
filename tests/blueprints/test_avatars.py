"""Avatars as a browser receives them: from the portal only, and always as images."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support.images import png
from tests.support.person import Page, Person, complete_first_turn
from tests.support.upstream import Upstream
from twindow.web.container import Portal

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
    return [
        str(img["src"])
        for img in page.html.select("main :not(option) > img.avatar:not(.avatar--row)")
    ]


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


def test_failed_avatar_is_replaced_by_initials(alice: Person, upstream: Upstream):
    upstream.answers[PLACE] = 200, b"<svg xmlns='http://www.w3.org/2000/svg'></svg>"
    [address] = faces(alice.get("/"))
    answer = alice.get(address).response

    assert answer.status_code == 200
    assert answer.headers["Content-Type"].startswith("image/svg+xml")
    assert answer.headers["Cache-Control"] == "no-store"
    assert ">A</text>" in answer.text
    assert upstream.calls[-1].path == PLACE


def test_pages_do_not_wait_for_avatars_and_share_their_urls(alice: Person, upstream: Upstream):
    upstream.unanswered_paths.add(PLACE)
    page = complete_first_turn(alice, upstream, "Hello", "Hello")

    urls = [faces(each) for each in (alice.get("/"), alice.get("/twins/ada"), page)]
    assert [len({*urls_of_page}) for urls_of_page in urls] == [1, 1, 1]
    assert len({url for urls_of_page in urls for url in urls_of_page}) == 1
    assert [call.path for call in upstream.calls if "avatars" in call.path] == []


def test_address_without_an_avatar_is_missing_or_shows_initials(alice: Person, upstream: Upstream):
    alice.get("/")

    for path in ("", "ada", "ada/", "nobody/a", "ada/a/b", "ada/..%2f.."):
        assert alice.get(f"/avatars/{path}").status == 404, path
    for name in ("x", "http:", "127.0.0.1"):
        assert ">A</text>" in alice.get(f"/avatars/ada/{name}").response.text, name
    assert len(upstream.calls) == 1


def test_concurrent_avatar_requests_reach_the_service_once(
    alice: Person, new_person: Callable[[], Person], upstream: Upstream
):
    [address] = faces(alice.get("/"))
    people = [new_person() for _ in range(6)]
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda person: person.get(address).response.content, people))

    assert answers == [PICTURE] * 6
    assert len([call for call in upstream.calls if call.path == PLACE]) == 1
