"""The home page with the list of twins."""

from __future__ import annotations

import pytest

from tests.support.clock import AdjustableClock
from tests.support.person import HTMX_HEADERS, Page, Person, complete_first_turn
from tests.support.upstream import Upstream
from twindow.chat.catalogue import TwinCatalogue

ALL = {"page": 1, "pages": 1}


def test_home_page_lists_twins_by_name_and_offers_a_search_from_nine_on(
    alice: Person, upstream: Upstream, clock: AdjustableClock
):
    page = alice.get("/")
    assert page.html.h1.get_text() == "What would you like to know?"
    assert names(page) == ["Ada", "Odd"]
    assert page.html.select_one("input[type=search]") is None
    assert len(upstream.calls) == 1

    upstream.twins = many(9)
    clock.advance(TwinCatalogue.max_age_seconds + 1)
    assert alice.get("/").html.select_one("input[type=search]")["aria-label"] == "Search twins"


def test_refused_key_is_logged_once_with_status_address_and_setting(
    alice: Person, upstream: Upstream, clock: AdjustableClock, caplog: pytest.LogCaptureFixture
):
    upstream.answers["/api/v1/twins"] = 401, {}
    for _ in range(3):
        alice.get("/")
        clock.advance(TwinCatalogue.retry_seconds)

    assert len(upstream.calls) == 3
    address = f"{upstream.url}/api/v1"
    expected = f"Could not list the twins at {address}: unauthorized. Status 401. Check TWINDOW_"
    logged = [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]
    assert logged == [f"{expected}API_KEY."]


@pytest.mark.parametrize(
    ("q", "found", "sentence"),
    [
        ("how things", ["Ada"], "1 twin found"),
        ("nobody", [], "0 twins found"),
        ("", ["Ada", "Odd"], ""),
    ],
)
def test_search_finds_words_in_names_and_descriptions(
    alice: Person, q: str, found: list[str], sentence: str
):
    page, part = alice.get(f"/?q={q}"), alice.get(f"/?q={q}", **HTMX_HEADERS)

    assert names(page) == names(part) == found
    # Screen readers announce the fragment, so it also states that all twins are shown.
    assert page.html.select_one("#result-count[role=status]").get_text().strip() == sentence
    assert result_count(part) == (sentence or "All twins")
    assert part.html.html is None
    assert part.response.headers["HX-Replace-Url"] == (f"/?q={q.replace(' ', '+')}" if q else "/")
    assert "HX-Request" in part.response.headers["Vary"]


def names(page: Page) -> list[str]:
    return [a.get_text() for a in page.html.select("li h3 a")]


def result_count(fragment: Page) -> str:
    return fragment.html.select_one("hx-partial[hx-target='#result-count']").get_text().strip()


def many(count: int) -> list[dict[str, str]]:
    return [{"id": str(n), "name": f"Twin {n:03}"} for n in range(count)]


@pytest.fixture
def crowd(upstream: Upstream) -> list[str]:
    """Make the service list 140 twins on one page, and return their names."""
    upstream.answers["/api/v1/twins"] = 200, {"data": many(140), "pagination": ALL}
    return [twin["name"] for twin in many(140)]


@pytest.mark.fault("F60")
def test_long_twin_list_continues_through_a_plain_link(alice: Person, crowd: list[str]):
    page = alice.get("/")
    assert names(page) == crowd[:60]
    assert "Showing 60 of 140 twins" in page.text

    for end in (120, 140):
        link = page.html.select_one(".cards__more a")
        page = alice.get(link["href"])
        assert names(page) == crowd[:end]
        assert page.html.select_one("#next-page-start a").get_text() == crowd[end // 61 * 60]
    assert page.html.select_one(".cards__more") is None


def test_htmx_receives_only_the_cards_of_the_next_page(alice: Person, crowd: list[str]):
    page = alice.get("/?page=2", **HTMX_HEADERS)

    assert names(page) == crowd[60:120]
    assert page.html.select_one("#twins") is None
    assert page.html.select_one("a[autofocus]").get_text() == crowd[60]
    assert result_count(page) == "Showing 120 of 140 twins"
    assert page.response.headers["HX-Replace-Url"] == "/?page=2"


def test_nonexistent_page_number_shows_the_nearest_page(alice: Person, crowd: list[str]):
    for page in ("0", "-1", "99", "x", "9" * 30):
        assert names(alice.get(f"/?page={page}"))[:60] == crowd[:60], page


def test_page_parameter_shows_at_most_ten_pages_at_once(alice: Person, upstream: Upstream):
    upstream.twins = many(700)

    assert len(names(alice.get("/?page=9999"))) == 600
    more = alice.get("/?page=11", **HTMX_HEADERS)
    assert len(names(more)) == 60


def test_copied_message_stays_on_further_pages_and_in_searches(alice: Person, upstream: Upstream):
    upstream.twins = [*upstream.twins, *many(140)]
    turn_id = complete_first_turn(alice, upstream, "Why?", "So").turns[0]["data-turn"]
    page = alice.get(f"/?turn={turn_id}")
    further = alice.get(str(page.html.select_one(".cards__more a")["hx-get"]), **HTMX_HEADERS)
    found = alice.get(str(page.html.select_one("[type=search]")["hx-get"]) + "&q=1", **HTMX_HEADERS)

    for part in (page, further, found):
        assert f"turn={turn_id}" in part.html.select(".card a")[-1]["href"]
    assert f"turn={turn_id}" in further.response.headers["HX-Replace-Url"]


def test_recently_used_twins_come_first_and_only_once(
    alice: Person, bob: Person, upstream: Upstream
):
    upstream.twins = many(9)
    for twin in ("3", "8", "1", "5", "7"):
        alice.start_conversation("Hello", twin=twin)
    page = alice.get("/")

    lately, _ = page.html.select("ul.cards")
    assert page.html.find(id=lately["aria-labelledby"]).get_text() == "Recently used"
    assert names(page) == [f"Twin {n:03}" for n in (7, 5, 1, 0, 2, 3, 4, 6, 8)]
    assert len(lately.select("li")) == 3
    assert "Recently used" not in alice.get("/?q=twin").text
    assert "Recently used" not in bob.get("/").text


def test_short_list_shows_used_twins_first_without_headings(alice: Person, upstream: Upstream):
    upstream.twins = many(4)
    alice.start_conversation("One", twin="2")
    page = alice.get("/")

    assert names(page) == [f"Twin {n:03}" for n in (2, 0, 1, 3)]
    assert "Recently used" not in page.text


def test_card_names_the_language_of_its_twin_on_pages_in_another_one(
    alice: Person, upstream: Upstream
):
    codes = ["en-GB", "de", "pt-BR", "xx", ""]
    upstream.twins = [
        {"id": str(number), "name": str(number), "language": code}
        for number, code in enumerate(codes)
    ]
    page = alice.get("/", **{"Accept-Language": "de"})
    notes = [small.get_text() for small in page.html.select(".card small")]
    assert notes == ["Englisch", "Portugiesisch"]


def test_texts_of_twins_are_shown_in_full_or_left_out(alice: Person, upstream: Upstream):
    long, right = "Long " * 20, "\u0644\u064a\u0644\u0649"
    upstream.twins = [
        {"id": "1", "name": long.strip(), "description": "word " * 300},
        {"id": "2", "name": right, "description": right},
        {"id": "3", "name": "X"},
    ]
    page = alice.get("/")

    assert names(page) == [long.strip(), "X", right]
    shown = [description.get_text() for description in page.html.select(".card p")]
    assert shown == [("word " * 300).strip(), right]
    texts = page.html.select(".card h3 a, .card p")
    assert [each["dir"] for each in texts] == ["auto"] * 5
    assert alice.get("/twins/3").html.select(".lead") == []


def test_home_page_shows_the_reason_for_which_the_service_refused_the_list(
    alice: Person, upstream: Upstream
):
    upstream.answers["/api/v1/twins"] = 422, {"error": "Unknown tenant."}
    page = alice.get("/")

    assert "Unknown tenant." in page.text
    assert "%(" not in page.text


def test_twin_texts_and_messages_are_escaped(alice: Person, upstream: Upstream):
    evil = "<script>alert(1)</script><img src=x onerror=alert(1)>"
    upstream.twins = [
        {"id": "x", "name": evil, "description": evil, "greeting": evil, "starters": [evil]}
    ]
    gallery, twin = alice.get("/"), alice.get("/twins/x")
    page = complete_first_turn(alice, upstream, evil, evil, twin="x")

    for each in (gallery, twin, page, alice.get("/conversations")):
        assert each.html.select("script:not([src], [type$=json])") == []
        assert each.html.select("img:not(.avatar)") == []
        assert "alert(1)" in each.text
