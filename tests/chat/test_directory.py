"""The list of twins: fresh, cached, and stale while the service is down."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

import twinapi
from chat import directory
from chat.directory import Directory
from tests.upstream import KEY, Upstream


@pytest.fixture
def client(upstream: Upstream) -> Iterator[twinapi.Client]:
    client = twinapi.Client(upstream.url, KEY)
    yield client
    client.close()


def names(twins: Directory) -> list[str]:
    return [twin.name for twin in twins.list().twins]


def test_a_fresh_list_costs_no_call(client: twinapi.Client, upstream: Upstream):
    twins = Directory(client, keep=60)

    assert names(twins) == names(twins) == ["Ada", "Odd"]
    assert twins.find("ada").greeting == "Hello, I am Ada."
    assert len(upstream.calls) == 1


def test_an_old_list_is_asked_for_again(client: twinapi.Client, upstream: Upstream):
    twins = Directory(client, keep=0)
    names(twins)
    upstream.twins = [{"id": "new", "name": "New"}]

    assert names(twins) == ["New"]


def test_the_last_list_stays_while_the_service_is_down(client, upstream: Upstream, monkeypatch):
    twins = Directory(client, keep=0)
    names(twins)
    upstream.stop()

    listing = twins.list()

    assert [twin.name for twin in listing.twins] == ["Ada", "Odd"]
    assert "cannot be reached" in listing.sentence
    assert twins.find("ada")


def test_without_a_list_the_failure_is_told_and_not_repeated_at_once(client, upstream: Upstream):
    upstream.answers["/api/v1/twins"] = 500, {}
    twins = Directory(client, keep=60)

    for _ in range(3):
        with pytest.raises(twinapi.ServiceFailed):
            twins.list()
    assert len(upstream.calls) == 1


def test_many_people_at_once_are_one_call(client: twinapi.Client, upstream: Upstream):
    twins = Directory(client, keep=60)
    upstream.hold_back.add("/api/v1/twins")
    with ThreadPoolExecutor(8) as pool:
        lists = [pool.submit(names, twins) for _ in range(8)]
        upstream.next_call().answer(200, {"data": [{"id": "a", "name": "A"}]})
        assert [one.result(10) for one in lists] == [["A"]] * 8

    assert len(upstream.calls) == 1


def test_a_service_that_hangs_holds_nobody_who_has_a_list(
    client, upstream: Upstream, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(directory, "PATIENCE_SECONDS", 0.01)
    twins = Directory(client, keep=0)
    names(twins)
    upstream.hold_back.add("/api/v1/twins")

    assert names(twins) == ["Ada", "Odd"]
    upstream.next_call().answer(200, {"data": []})


def test_pages_are_followed_to_the_last(client: twinapi.Client, upstream: Upstream):
    upstream.hold_back.add("/api/v1/twins")
    twins = Directory(client, keep=60)
    with ThreadPoolExecutor(1) as pool:
        listed = pool.submit(names, twins)
        for number in (1, 2):
            call = upstream.next_call()
            assert f"page={number}&" in call.path
            page = [{"id": f"{number}-{n}"} for n in range(3)]
            call.answer(200, {"data": page, "pagination": {"page": number, "pages": 2}})
        assert len(listed.result(10)) == 6


def test_a_page_that_repeats_itself_is_the_last(client: twinapi.Client, upstream: Upstream):
    upstream.twins = [{"id": str(number)} for number in range(100)]

    assert len(names(Directory(client, keep=60))) == 100
    assert len(upstream.calls) == 2


def test_a_twin_that_is_not_listed_is_not_there(client: twinapi.Client, upstream: Upstream):
    with pytest.raises(twinapi.NotFound):
        Directory(client, keep=60).find("nobody")
    assert len(upstream.calls) == 1
