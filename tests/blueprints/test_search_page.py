"""The search of twins, pages and conversations."""

from __future__ import annotations

import pytest

from tests.support.person import HTMX_HEADERS, Page, Person, complete_first_turn
from tests.support.upstream import Upstream


def found(page: Page) -> list[str]:
    return [
        link.get_text().strip()
        for link in page.html.select(
            ".search-view li > a > span, .search-view__links a:not(:has(span))"
        )
    ]


def conversations(page: Page) -> list[str]:
    return [link.get_text().strip() for link in page.html.select(".search-view .rows > li > a")]


def test_search_without_words_lists_twins_pages_and_the_newest_conversations(
    alice: Person, page: Page
):
    shown = alice.get("/search")

    assert found(shown)[1:3] == ["Ada", "Odd"]
    assert {"Preferences", "Help", "All conversations"} <= set(found(shown))
    newest = shown.html.select(".search-view__links")[0]
    assert [link["href"] for link in newest.select("a")] == [page.path]


def test_search_finds_twins_pages_and_messages(alice: Person, page: Page):
    twin = alice.get("/search?q=ada")
    assert found(twin) == ["Ada", "All conversations with Ada"]
    links = [link["href"] for link in twin.html.select(".search-view a")]
    assert links[:2] == ["/twins/ada", "/conversations?twin=ada"]
    assert conversations(twin) == []
    assert found(alice.get("/search?q=prefer")) == ["Preferences"]
    assert found(alice.get("/search?q=dark mode")) == ["Preferences: Dark mode"]
    sky = alice.get("/search?q=sky")
    assert conversations(sky) == ["Why is the sky blue?"]


def test_conversation_that_is_found_has_one_line_with_its_first_hit(alice: Person, page: Page):
    [row] = alice.get("/search?q=scatter").html.select(".search-view .rows > li")

    assert " ".join(row.p.get_text(" ", strip=True).split()).startswith("Ada ·")
    assert row.p.mark
    assert len(row.select("a")) == 1


def test_page_with_all_hits_is_offered_if_there_are_more_than_are_shown(
    alice: Person, upstream: Upstream
):
    complete_first_turn(alice, upstream, "One tricycle", "Yes")
    complete_first_turn(alice, upstream, "Another bicycle", "A bicycle, yes")

    assert "More results" not in alice.get("/search?q=tricycle").text
    assert "More results" in alice.get("/search?q=bicycle").text


def test_dialog_has_the_search_field_and_typing_receives_only_the_results(
    alice: Person, page: Page
):
    dialog = alice.get("/search", **HTMX_HEADERS)
    assert dialog.html.html is None
    assert dialog.html.select_one("input[type=search]")["aria-label"] == "Search"

    results = alice.get("/search?q=sky&results=1", **HTMX_HEADERS)
    assert results.html.select("form") == []
    assert conversations(results) == ["Why is the sky blue?"]


@pytest.mark.parametrize(
    ("q", "status"),
    [("sky", "1 result"), ("conversation", "2 results"), ("xyz", "No results"), ("", "")],
)
def test_number_of_results_replaces_the_status_of_the_search(
    alice: Person, page: Page, q: str, status: str
):
    assert alice.get(f"/search?q={q}").html.select_one("[role=status]#search-status")
    fragment = alice.get(f"/search?q={q}&results=1", **HTMX_HEADERS)

    part = fragment.html.select_one("hx-partial[hx-target='#search-status']")
    assert part.get_text(strip=True) == status


def test_search_does_not_wait_for_the_service(alice: Person, upstream: Upstream, page: Page):
    upstream.unanswered_paths.add("/api/v1/twins")

    assert conversations(alice.get("/search?q=sky")) == ["Why is the sky blue?"]


def test_page_keeps_the_words_in_its_url_and_the_dialog_does_not(alice: Person):
    def replaced_url(page_path: str) -> str | None:
        headers = HTMX_HEADERS | {"HX-Current-URL": f"{alice.base_url}{page_path}"}
        return alice.get("/search?q=sky&results=1", **headers).response.headers.get(
            "HX-Replace-Url"
        )

    assert replaced_url("/search?q=sk") == "/search?q=sky"
    assert replaced_url("/help") is None
