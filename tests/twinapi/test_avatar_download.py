"""Downloading avatars: from listed origins only, without credentials, and bounded."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.support import upstream_server
from tests.support.images import png
from tests.support.upstream import Call, Upstream
from twindow.core.outbound.outbound import DIRECT
from twindow.twinapi import AvatarDownloader, AvatarUnavailable, avatar_download

PATH = "/api/v1/avatars/a.png"
IMAGE = png()


@pytest.fixture
def elsewhere() -> Iterator[Upstream]:
    """Run a server other than the service."""
    with upstream_server.run_upstream() as elsewhere:
        elsewhere.answers["/a.png"] = send(IMAGE)
        yield elsewhere


@pytest.fixture
def downloader(upstream: Upstream, elsewhere: Upstream) -> AvatarDownloader:
    return AvatarDownloader(f"{upstream.url}/api/v1", [elsewhere.url], DIRECT)


def send(content: bytes, status: int = 200, **headers: str) -> Callable[[Call], None]:
    def answer(call: Call) -> None:
        call.send_head(status, **{"content_type": "image/png", **headers})
        call.send_bytes(content)
        call.close()

    return answer


def test_avatars_of_the_service_and_of_listed_origins_are_requested_without_credentials(
    downloader: AvatarDownloader, upstream: Upstream, elsewhere: Upstream
):
    upstream.answers[PATH] = send(IMAGE)

    urls = (PATH, upstream.url + PATH, "/api/v1/avatars/a.png?x=1", f"{elsewhere.url}/a.png?size=1")
    assert [downloader.fetch(url) for url in urls] == [IMAGE] * 4
    for call in upstream.calls + elsewhere.calls:
        assert not {"Authorization", "X-API-Key", "Cookie", "Referer"} & call.headers.keys()


FOREIGN = [
    "https://example.org/a.png",
    "http://127.0.0.1:1/a.png",
    "http://169.254.169.254/latest/meta-data",
    "ftp://example.org/a.png",
    "file:///etc/passwd",
    "http://[::1",
    "//example.org/a.png",
]


def test_other_urls_are_not_requested(downloader: AvatarDownloader):
    for url in FOREIGN:
        with pytest.raises(AvatarUnavailable):
            downloader.fetch(url)


def test_redirects_are_not_followed_and_named(
    downloader: AvatarDownloader, upstream: Upstream, elsewhere: Upstream
):
    upstream.answers[PATH] = send(b"", 302, location=f"{elsewhere.url}/a.png")

    with pytest.raises(AvatarUnavailable, match=f"302 and leads to {elsewhere.url}/a.png"):
        downloader.fetch(PATH)
    assert elsewhere.calls == []


def test_size_and_time_of_a_download_are_limited(
    downloader: AvatarDownloader, upstream: Upstream, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(avatar_download, "MAX_BYTES", 1000)
    monkeypatch.setattr(avatar_download, "TIMEOUT_SECONDS", 0.3)
    upstream.answers[PATH] = send(b"x" * 10_000)
    with pytest.raises(AvatarUnavailable):
        downloader.fetch(PATH)
    upstream.unanswered_paths.add(PATH)
    with pytest.raises(AvatarUnavailable):
        downloader.fetch(PATH)


def test_only_origins_that_are_not_listed_are_missing(
    downloader: AvatarDownloader, upstream: Upstream, elsewhere: Upstream
):
    for url in (PATH, upstream.url, f"{elsewhere.url}/b.png", "data:image/png,x"):
        assert downloader.missing_origin(url) is None
    assert downloader.missing_origin("https://Example.org:443/a") == "https://example.org"
