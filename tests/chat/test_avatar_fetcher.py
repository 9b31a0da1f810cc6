"""Fetching and caching avatars: once for everyone, and served while the service is down."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

import twinapi
from chat.log.log import Log
from chat.twins import avatar_cache
from chat.twins.avatar_cache import AvatarCache
from chat.twins.avatar_fetcher import AvatarFetcher
from core.images import Image
from tests.chat.conftest import both_databases
from tests.support.clock import AdjustableClock
from tests.support.images import png
from tests.support.upstream import UPSTREAM_KEY, Call, Upstream
from twinapi import Twin

PLACE = "/api/v1/avatars/a.png"
PICTURE, OTHER = png(shade=10), png(shade=200)
NewAvatars = Callable[[], AvatarFetcher]


@pytest.fixture
def new_avatars(upstream: Upstream, new_log: Callable[[], Log]) -> Iterator[NewAvatars]:
    """Return a factory of avatar fetchers; each acts as the fetcher of another process."""
    upstream.twins = [{"id": "ada", "avatarUrl": PLACE}, {"id": "bea"}]
    upstream.answers[PLACE] = gives(PICTURE)
    client = twinapi.Client(upstream.url, UPSTREAM_KEY)
    made: list[AvatarFetcher] = []

    def new_avatars() -> AvatarFetcher:
        database = new_log().database
        made.append(AvatarFetcher(client, database))
        made[-1].max_wait_seconds = 10.0
        return made[-1]

    yield new_avatars
    for each in made:
        each._executor.shutdown()
    client.close()


def gives(content: bytes) -> Callable[[Call], None]:
    return lambda call: call.respond(200, content, content_type="image/png")


def name_of(avatars: AvatarFetcher, twin_id: str = "ada") -> str:
    return avatars.image_name(twins_of(avatars)[twin_id])


def twins_of(avatars: AvatarFetcher) -> dict[str, Twin]:
    return {twin.id: twin for twin in avatars.client.list_twins().items}


def find_content(avatars: AvatarFetcher) -> bytes | None:
    found = avatars.find(name_of(avatars), twins_of(avatars))
    return found.content if found else None


def avatar_request_count(upstream: Upstream) -> int:
    return [call.path for call in upstream.calls].count(PLACE)


def wait_for_fetches(avatars: AvatarFetcher) -> None:
    """Wait for the fetches in the background."""
    avatars._executor.shutdown()
    avatars._executor = ThreadPoolExecutor(1)


@both_databases
def test_avatar_is_fetched_once_for_all_people_and_processes(
    new_avatars: NewAvatars, upstream: Upstream
):
    one, other = new_avatars(), new_avatars()
    upstream.unanswered_paths.add(PLACE)
    with ThreadPoolExecutor(8) as pool:
        looks = [pool.submit(find_content, each) for each in (one, other) * 4]
        upstream.next_call().respond(200, PICTURE, content_type="image/png")
        assert [each.result(10) for each in looks] == [PICTURE] * 8

    assert find_content(new_avatars()) == PICTURE
    assert avatar_request_count(upstream) == 1


def test_avatar_is_omitted_when_the_service_exceeds_the_maximum_wait(
    new_avatars: NewAvatars, upstream: Upstream
):
    upstream.unanswered_paths.add(PLACE)
    ours = new_avatars()
    ours.max_wait_seconds = 0.0

    assert find_content(ours) is None
    upstream.next_call().respond(200, PICTURE)
    wait_for_fetches(ours)
    assert find_content(ours) == PICTURE
    assert avatar_request_count(upstream) == 1


def test_only_avatars_of_listed_twins_are_fetched(new_avatars: NewAvatars, upstream: Upstream):
    ours = new_avatars()

    assert name_of(ours, "bea") == ""
    assert ours.find("0" * 32, twins_of(ours)) is None
    assert ours.find("", twins_of(ours)) is None
    assert avatar_request_count(upstream) == 0


def test_avatar_removed_from_its_twin_is_not_served(new_avatars: NewAvatars, upstream: Upstream):
    ours = new_avatars()
    name = name_of(ours)
    assert ours.find(name, twins_of(ours))
    upstream.twins = [{"id": "ada"}]

    assert ours.find(name, twins_of(ours)) is None


def test_failed_avatar_is_retried_only_after_the_retry_interval(
    new_avatars: NewAvatars, upstream: Upstream, clock: AdjustableClock
):
    upstream.answers[PLACE] = 404, {}
    one = new_avatars()
    assert find_content(one) is None
    assert find_content(one) is find_content(new_avatars()) is None
    assert avatar_request_count(upstream) == 1

    upstream.answers[PLACE] = gives(PICTURE)
    clock.advance(avatar_cache.RETRY_SECONDS + 1)
    find_content(one)
    wait_for_fetches(one)
    assert find_content(one) == PICTURE


def test_log_line_about_an_avatar_is_short(
    new_avatars: NewAvatars, upstream: Upstream, caplog: pytest.LogCaptureFixture
):
    upstream.twins = [{"id": "ada", "avatarUrl": "ftp:" + "x" * 1_900}]

    assert find_content(new_avatars()) is None

    [line] = caplog.messages
    assert "is not shown" in line
    assert len(line) <= 500


def test_invalid_image_content_counts_as_a_failed_fetch(
    new_avatars: NewAvatars, upstream: Upstream
):
    twins = []
    contents = (b"<svg/>", b"<html>", b"", png(4), png()[:20])
    for number, content in enumerate(contents):
        place = f"/api/v1/avatars/{number}.png"
        twins.append({"id": str(number), "avatarUrl": place})
        upstream.answers[place] = gives(content)
    upstream.twins = [{"id": "ada", "avatarUrl": PLACE}, *twins]
    ours = new_avatars()

    assert [ours.find(name_of(ours, twin["id"]), twins_of(ours)) for twin in twins * 2] == [
        None
    ] * 10
    paths = [call.path for call in upstream.calls]
    assert [paths.count(twin["avatarUrl"]) for twin in twins] == [1] * 5


def test_expired_avatar_is_served_while_its_replacement_is_fetched(
    new_avatars: NewAvatars, upstream: Upstream, clock: AdjustableClock
):
    ours = new_avatars()
    find_content(ours)
    clock.advance(avatar_cache.MAX_AGE_SECONDS + 1)
    upstream.unanswered_paths.add(PLACE)

    assert find_content(ours) == PICTURE
    upstream.next_call().respond(200, OTHER)
    wait_for_fetches(ours)
    assert find_content(ours) == OTHER
    assert avatar_request_count(upstream) == 2


def test_expired_avatar_is_served_while_the_service_is_down(
    new_avatars: NewAvatars, upstream: Upstream, clock: AdjustableClock
):
    ours = new_avatars()
    find_content(ours)
    name, twins = name_of(ours), twins_of(ours)
    upstream.stop()
    for _ in range(3):
        clock.advance(avatar_cache.MAX_AGE_SECONDS + 1)
        found = ours.find(name, twins)
        assert found
        assert found.content == PICTURE
        wait_for_fetches(ours)


def test_fetch_claim_of_a_dead_process_expires(new_avatars: NewAvatars, clock: AdjustableClock):
    ours = new_avatars()
    assert ours.cache.claim(name_of(ours))
    assert not ours.cache.claim(name_of(ours))
    clock.advance(avatar_cache.CLAIM_SECONDS + 1)

    assert find_content(ours) == PICTURE


def test_avatar_stored_with_a_future_time_is_fetched_again(
    new_avatars: NewAvatars, upstream: Upstream, clock: AdjustableClock
):
    clock.jump_wall_clock(10 * avatar_cache.MAX_AGE_SECONDS)
    ours = new_avatars()
    find_content(ours)
    clock.jump_wall_clock(0)
    find_content(ours)
    wait_for_fetches(ours)

    assert avatar_request_count(upstream) == 2


@pytest.mark.limit("L44")
def test_avatar_cache_is_bounded_by_count_bytes_and_age(
    log: Log, monkeypatch: pytest.MonkeyPatch, clock: AdjustableClock
):
    ours = AvatarCache(log.database)
    monkeypatch.setattr(avatar_cache, "MAX_IMAGES", 3)
    for number in range(30):
        ours.store(str(number), Image("image/png", b"x" * 10))
    assert [n for n in range(30) if ours.find(str(n)).image] == [27, 28, 29]

    monkeypatch.setattr(avatar_cache, "MAX_BYTES", 25)
    for number in range(30, 55):
        ours.store(str(number), Image("image/png", b"x" * 10))
    assert [n for n in range(55) if ours.find(str(n)).image] == [53, 54]

    clock.advance(avatar_cache.MAX_UNUSED_SECONDS + avatar_cache.MAX_AGE_SECONDS + 1)
    ours.store("55", Image("image/png", b"x"))
    assert [n for n in range(56) if ours.find(str(n)).image] == [55]
