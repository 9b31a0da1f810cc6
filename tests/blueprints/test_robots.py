"""What crawlers of search engines may request."""

from __future__ import annotations

import pytest

from tests.support.person import Person


def rules(person: Person, path: str = "/robots.txt") -> list[str]:
    response = person.get(path).response
    assert response.headers["Content-Type"].startswith("text/plain")
    assert "Set-Cookie" not in response.headers
    return response.text.splitlines()


def test_crawlers_may_request_only_the_public_pages_of_a_portal_for_visitors(alice: Person):
    first, *allowed, last = rules(alice)

    assert (first, last) == ("User-agent: *", "Disallow: /")
    assert allowed == [
        f"Allow: {path}" for path in ("/$", "/twins", "/help", "/static/", "/avatars/")
    ]


@pytest.mark.settings(sign_in="password")
def test_crawlers_may_request_nothing_where_people_sign_in(alice: Person):
    assert rules(alice) == ["User-agent: *", "Disallow: /"]


@pytest.mark.settings(public_url="https://example.org/chat")
def test_rules_for_crawlers_have_the_sub_path(alice: Person):
    lines = rules(alice, "/chat/robots.txt")

    assert lines[1] == "Allow: /chat/$"
    assert lines[-1] == "Disallow: /chat/"
