"""The twin catalogue: fresh, cached, and stale while the service is down."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.support.clock import AdjustableClock
from tests.support.databases import on_postgresql
from tests.support.upstream import UPSTREAM_KEY, Call, Upstream
from twindow import twinapi
from twindow.chat.catalogue import TwinListStore, catalogue
from twindow.chat.catalogue.catalogue import TwinCatalogue
from twindow.chat.log.log import Log
from twindow.core.db.database import Database

NewTwins = Callable[[float], TwinCatalogue]


def new_catalogue(client: twinapi.Client, database: Database, max_age: float) -> TwinCatalogue:
    store = TwinListStore(database, client.base_url)
    catalogue = TwinCatalogue(client, store)
    catalogue.max_age_seconds = max_age
    return catalogue


@pytest.fixture
def new_twins(upstream: Upstream, log: Log) -> Iterator[NewTwins]:
    """Return a factory of twin catalogues; each acts as the catalogue of another process."""
    client = twinapi.Client(upstream.url, UPSTREAM_KEY)
    made: list[TwinCatalogue] = []

    def new_twins(keep: float) -> TwinCatalogue:
        made.append(new_catalogue(client, log.database, keep))
        return made[-1]

    yield new_twins
    for twins in made:
        if twins._fetch_thread:
            twins._fetch_thread.join(10)
    client.close()


def names(twins: TwinCatalogue) -> list[str]:
    return [twin.name for twin in twins.list().twins]


def test_twin_list_is_requested_again_only_once_it_is_old(
    new_twins: NewTwins, upstream: Upstream, clock: AdjustableClock
):
    twins = new_twins(60)

    assert names(twins) == names(twins) == ["Ada", "Odd"]
    assert twins.find("ada").greeting == "Hello, I am Ada."
    assert len(upstream.calls) == 1
    upstream.twins = [{"id": "new", "name": "New"}]
    clock.advance(61)
    assert names(twins) == ["New"]


def test_unreadable_twins_are_logged_once(
    new_twins: NewTwins, upstream: Upstream, caplog: pytest.LogCaptureFixture
):
    upstream.twins = [{"id": "ada", "name": "Ada"}, {"name": "no id"}]
    twins = new_twins(0)

    assert [names(twins) for _ in range(3)] == [["Ada"]] * 3
    assert caplog.text.count("could not be read") == 1


def test_cached_twin_list_is_served_while_the_service_is_down_also_after_a_restart(
    new_twins: NewTwins, upstream: Upstream
):
    twins = new_twins(0)
    names(twins)
    upstream.stop()

    for each in (twins, new_twins(0)):
        listing = each.list()
        assert [twin.name for twin in listing.twins] == ["Ada", "Odd"]
        assert listing.error
        assert listing.error.code == "not_connected"
        assert each.find("ada")


@pytest.mark.parametrize(
    ("status", "retry_after", "retry_seconds", "error"),
    [
        (500, "", 15.0, twinapi.ServiceFailed),
        (429, "", 0.0, twinapi.RateLimited),
        (429, "0", 15.0, twinapi.RateLimited),
    ],
)
def test_failure_without_a_cached_list_is_raised_and_not_retried_at_once(
    new_twins: NewTwins,
    upstream: Upstream,
    status: int,
    retry_after: str,
    retry_seconds: float,
    error: type[Exception],
):
    headers = {"retry_after": retry_after} if retry_after else {}
    upstream.answers["/api/v1/twins"] = lambda call: call.respond(status, {}, **headers)
    twins = new_twins(60)
    twins.retry_seconds, twins.rate_limited_seconds = retry_seconds, 600.0

    for _ in range(3):
        with pytest.raises(error):
            twins.list()
    assert len(upstream.calls) == 1


def test_concurrent_readers_share_one_request(new_twins: NewTwins, upstream: Upstream):
    twins = new_twins(60)
    upstream.unanswered_paths.add("/api/v1/twins")
    with ThreadPoolExecutor(8) as pool:
        lists = [pool.submit(names, twins) for _ in range(8)]
        upstream.next_call().respond(200, {"data": [{"id": "a", "name": "A"}], "total": 1})
        assert [one.result(10) for one in lists] == [["A"]] * 8

    assert len(upstream.calls) == 1


def test_hanging_service_does_not_delay_readers_of_a_cached_list(
    new_twins: NewTwins, upstream: Upstream
):
    twins = new_twins(0)
    twins.max_wait_seconds = 0.01
    names(twins)
    upstream.unanswered_paths.add("/api/v1/twins")

    assert names(twins) == ["Ada", "Odd"]
    upstream.next_call().respond(200, {"data": []})


def test_all_pages_of_the_twin_list_are_read(new_twins: NewTwins, upstream: Upstream):
    upstream.unanswered_paths.add("/api/v1/twins")
    twins = new_twins(60)
    with ThreadPoolExecutor(1) as pool:
        listed = pool.submit(names, twins)
        for number in (1, 2):
            call = upstream.next_call()
            assert f"page={number}&" in call.path
            page = [{"id": f"{number}-{n}"} for n in range(3)]
            call.respond(200, {"data": page, "pagination": {"page": number, "pages": 2}})
        assert len(listed.result(10)) == 6


def test_repeated_page_ends_the_twin_list(new_twins: NewTwins, upstream: Upstream):
    upstream.answers["/api/v1/twins"] = 200, {"data": [{"id": "a"}, {"id": "b"}]}

    assert names(new_twins(60)) == ["a", "b"]
    assert len(upstream.calls) == 2


def cap_pages(upstream: Upstream, count: int, **fields: object) -> None:
    """Serve `count` twins, at most 50 on a page, whatever limit is requested."""

    def answer(call: Call) -> None:
        first = (int(parse_qs(urlsplit(call.path).query)["page"][0]) - 1) * 50
        data = [{"id": str(number)} for number in range(first, min(first + 50, count))]
        call.respond(200, {"data": data, "meta": fields})

    upstream.answers["/api/v1/twins"] = answer


@pytest.mark.parametrize(("fields", "requests"), [({}, 4), ({"total": 134}, 3), ({"total": 9}, 1)])
def test_list_is_read_to_its_end_although_the_service_caps_its_pages(
    new_twins: NewTwins, upstream: Upstream, fields: dict[str, object], requests: int
):
    cap_pages(upstream, 134, **fields)

    assert len(names(new_twins(60))) == min(134, 50 * requests)
    assert len(upstream.calls) == requests


def test_end_of_an_unchanged_list_is_looked_for_once_an_hour(
    new_twins: NewTwins, upstream: Upstream, clock: AdjustableClock
):
    twins = new_twins(60)

    def count_requests(count: int) -> int:
        cap_pages(upstream, count)
        upstream.calls.clear()
        assert len(names(twins)) == count
        clock.advance(61)
        return len(upstream.calls)

    assert [count_requests(count) for count in (60, 60, 61, 61)] == [3, 2, 3, 2]
    clock.advance(3600)
    assert count_requests(61) == 3


def test_unlisted_twin_is_not_found_without_a_further_request(
    new_twins: NewTwins, upstream: Upstream
):
    with pytest.raises(twinapi.NotFound):
        new_twins(60).find("nobody")
    assert len(upstream.calls) == 1


@pytest.mark.limit("L39")
def test_requests_for_twins_beyond_the_list_are_cached_and_limited_to_60_an_hour(
    new_twins: NewTwins, upstream: Upstream, clock: AdjustableClock, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(catalogue, "MAX_PAGES", 1)
    cap_pages(upstream, 100)
    upstream.answers["/api/v1/twins/far"] = 200, {"data": {"id": "far", "name": "Far"}}
    twins = new_twins(7200)
    names(twins)
    upstream.calls.clear()

    def find_unknown_twins() -> None:
        for number in range(100, 700):
            upstream.answers[f"/api/v1/twins/{number}"] = 404, {}
            with pytest.raises(twinapi.NotFound):
                twins.find(str(number))

    assert [twins.find("far").name for _ in range(2)] == ["Far", "Far"]
    assert len(upstream.calls) == 1
    find_unknown_twins()
    assert len(upstream.calls) == 60
    assert twins.find("far").name == "Far"
    clock.advance(3601)
    find_unknown_twins()
    assert len(upstream.calls) == 120
    assert not twins.is_gone("one that may exist")
    assert not twins.is_missing("far")


@pytest.mark.both_databases
def test_processes_share_a_fresh_twin_list(new_twins: NewTwins, upstream: Upstream):
    assert names(new_twins(60)) == names(new_twins(60))
    assert len(upstream.calls) == 1


def test_fresh_list_of_another_process_replaces_an_earlier_error(
    new_twins: NewTwins, upstream: Upstream
):
    upstream.answers["/api/v1/twins"] = 503, {}
    failed, other = new_twins(60), new_twins(60)
    with pytest.raises(twinapi.TwinApiError):
        failed.list()
    del upstream.answers["/api/v1/twins"]
    other.list()

    assert failed.list().error is None


def test_unchanged_cached_list_is_not_read_again(new_twins: NewTwins):
    first, second = new_twins(0), new_twins(0)
    first.list()
    known = second.all_cached()
    assert list(known) == [twin.id for twin in first.list().twins]

    known = second.all_cached()
    assert second.all_cached() is known


@pytest.mark.limit("L39")
def test_twins_beyond_the_limit_are_left_out_even_if_they_are_on_one_page(
    new_twins: NewTwins, upstream: Upstream
):
    twins = [{"id": str(number)} for number in range(10 * catalogue.MAX_TWINS)]
    too_long = {"id": "x" * 10_000}
    upstream.answers["/api/v1/twins"] = 200, {"data": [too_long, *twins]}

    known = new_twins(60)
    assert len(known.list().twins) == catalogue.MAX_TWINS
    assert too_long["id"] not in known.all_cached()
    assert not known.is_missing(str(catalogue.MAX_TWINS))


def test_list_cached_with_a_future_time_is_requested_again(
    new_twins: NewTwins, upstream: Upstream, clock: AdjustableClock
):
    twins = new_twins(60)
    names(twins)
    clock.jump_wall_clock(-86_400)
    names(twins)

    assert len(upstream.calls) == 2


@on_postgresql
@pytest.mark.parametrize("skew", [3600, -3600])
def test_age_of_a_list_cached_by_another_machine_ignores_clock_differences(
    new_twins: NewTwins,
    upstream: Upstream,
    new_log: Callable[..., Log],
    clock: AdjustableClock,
    skew: int,
):
    names(new_twins(60))
    clock = clock.skewed(skew)
    client = twinapi.Client(upstream.url, UPSTREAM_KEY)
    twins = new_catalogue(client, new_log(clock).database, 60)

    assert names(twins) == ["Ada", "Odd"]
    assert 0 <= twins.list().age_seconds < 30
    assert len(upstream.calls) == 1
    clock.advance(61)
    names(twins)
    assert len(upstream.calls) == 2


def test_changed_twin_list_is_visible_to_all_processes(new_twins: NewTwins, upstream: Upstream):
    one, other = new_twins(0), new_twins(0)
    names(one)
    upstream.twins = [{"id": "bea", "name": "Bea"}]
    names(other)

    assert one.is_missing("ada")
    assert one.find_cached("bea")


def test_cached_list_of_another_service_is_ignored(new_twins: NewTwins, log: Log):
    names(new_twins(60))

    assert TwinListStore(log.database, "http://another.example/api/v1").load_newer() is None


def test_bug_while_listing_is_raised_as_unexpected_response(
    new_twins: NewTwins, monkeypatch: pytest.MonkeyPatch
):
    twins = new_twins(60)
    asked: list[int] = []
    monkeypatch.setattr(twins.client, "list_twins", lambda page: asked.append(1 // 0 * page))

    for _ in range(3):
        with pytest.raises(twinapi.UnexpectedResponse):
            twins.list()
