"""Avatars in the data folder: downloaded once, and served while the service is down."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.clock import AdjustableClock
from tests.support.images import png
from tests.support.upstream import Upstream
from twindow.chat.catalogue import avatars as avatars_module
from twindow.chat.catalogue.avatars import MAX_AGE_SECONDS, RETRY_SECONDS, Avatars
from twindow.core.clock import Clock
from twindow.core.outbound.outbound import DIRECT
from twindow.twinapi import AvatarDownloader, Twin

PATH = "/api/v1/avatars/a.png"
IMAGE, OTHER_IMAGE = png(shade=10), png(shade=200)
NewAvatars = Callable[[], Avatars]


@pytest.fixture
def new_avatars(upstream: Upstream, tmp_path: Path, clock: Clock) -> Iterator[NewAvatars]:
    """Return a factory of `Avatars`; each acts as that of another process."""
    upstream.answers[PATH] = 200, IMAGE
    created: list[Avatars] = []

    def new_avatars() -> Avatars:
        downloader = AvatarDownloader(f"{upstream.url}/api/v1", (), DIRECT)
        created.append(Avatars(downloader, tmp_path / "avatars", clock))
        created[-1].max_wait_seconds = 10.0
        return created[-1]

    yield new_avatars
    for avatars in created:
        avatars._executor.shutdown()


def twin_with_avatar(url: str) -> Twin:
    return Twin(id="ada", name="Ada", avatar_url=url)


def find(avatars: Avatars, url: str = PATH) -> bytes | None:
    twin = twin_with_avatar(url)
    avatar = avatars.find(avatars.name_of(twin), {"ada": twin})
    return avatar.content if avatar else None


def request_count(upstream: Upstream) -> int:
    return [call.path for call in upstream.calls].count(PATH)


def test_avatar_is_downloaded_once_for_all_processes(new_avatars: NewAvatars, upstream: Upstream):
    assert find(new_avatars()) == find(new_avatars()) == IMAGE
    assert request_count(upstream) == 1


def test_avatar_is_missing_until_a_slow_download_has_ended(
    new_avatars: NewAvatars, upstream: Upstream
):
    avatars = new_avatars()
    upstream.unanswered_paths.add(PATH)
    avatars.max_wait_seconds = 0.0
    assert find(avatars) is None

    avatars.max_wait_seconds = 10.0
    upstream.next_call().respond(200, IMAGE)
    assert find(avatars) == IMAGE
    assert request_count(upstream) == 1


def test_only_avatars_of_listed_twins_are_found(new_avatars: NewAvatars, upstream: Upstream):
    avatars = new_avatars()
    assert find(avatars)

    assert avatars.name_of(None) == avatars.name_of(Twin(id="bob", name="Bob")) == ""
    name = avatars.name_of(twin_with_avatar(PATH))
    for twins in ({}, {"ada": twin_with_avatar("/other.png")}):
        assert avatars.find(name, twins) is None
    assert avatars.find("", {"bob": Twin(id="bob", name="Bob")}) is None
    assert len(upstream.calls) == 1


@pytest.mark.parametrize("answer", [(404, {}), (200, b"<svg/>"), (200, b"")])
def test_failed_download_is_repeated_after_five_minutes(
    new_avatars: NewAvatars, upstream: Upstream, clock: AdjustableClock, answer: tuple[int, object]
):
    upstream.answers[PATH] = answer
    avatars = new_avatars()
    assert [find(avatars) for _ in range(3)] == [None] * 3
    assert request_count(upstream) == 1

    upstream.answers[PATH] = 200, IMAGE
    clock.advance(RETRY_SECONDS + 1)
    assert find(avatars) == IMAGE


def test_old_avatar_is_shown_until_its_replacement_has_arrived(
    new_avatars: NewAvatars, upstream: Upstream, clock: AdjustableClock
):
    avatars = new_avatars()
    find(avatars)
    clock.advance(MAX_AGE_SECONDS + 1)
    upstream.unanswered_paths.add(PATH)

    assert find(avatars) == IMAGE
    upstream.next_call().respond(200, OTHER_IMAGE)
    avatars._executor.shutdown()
    assert find(avatars) == OTHER_IMAGE


def test_origin_that_is_not_listed_is_logged_once(
    new_avatars: NewAvatars, caplog: pytest.LogCaptureFixture
):
    avatars = new_avatars()

    assert [find(avatars, f"https://example.org/{number}.png") for number in range(5)] == [None] * 5

    assert caplog.messages == [
        "Avatars of https://example.org are not shown: see TWINDOW_AVATAR_ORIGINS."
    ]


def test_oldest_avatars_are_deleted_beyond_the_size_of_the_cache(
    new_avatars: NewAvatars, upstream: Upstream, clock: AdjustableClock, monkeypatch
):
    monkeypatch.setattr(avatars_module, "MAX_CACHED_BYTES", 3 * len(IMAGE))
    avatars = new_avatars()
    for number in range(30):
        upstream.answers[f"/{number}.png"] = 200, IMAGE
        assert find(avatars, f"/{number}.png") == IMAGE
        clock.advance(1)

    kept = {path.name for path in avatars._folder.iterdir()}
    newest = [twin_with_avatar(f"/{number}.png") for number in (27, 28, 29)]
    assert kept == {avatars.name_of(twin) for twin in newest}
