"""Downloading avatars: their URLs are untrusted and must not reach private addresses."""

from __future__ import annotations

import gzip
import re
import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.support import upstream_server
from tests.support.images import png
from tests.support.upstream import UPSTREAM_KEY, Call, Upstream
from twinapi import AvatarUnavailable, Client, avatar_download, ssrf_guard

PLACE = "/api/v1/avatars/a.png"
PICTURE = png()


@pytest.fixture
def elsewhere() -> Iterator[Upstream]:
    """Run a server other than the service."""
    with upstream_server.run_upstream() as elsewhere:
        elsewhere.answers["/a.png"] = gives(PICTURE)
        yield elsewhere


@pytest.fixture
def in_the_internet(elsewhere: Upstream, monkeypatch: pytest.MonkeyPatch) -> None:
    """Treat the server `elsewhere` as a public internet host."""
    port = int(elsewhere.url.rpartition(":")[2])
    monkeypatch.setitem(avatar_download.DEFAULT_PORTS, "test", port)
    monkeypatch.setattr(ssrf_guard, "is_public", lambda address: address == "127.0.0.1")


def gives(content: bytes, status: int = 200, **headers: str) -> Callable[[Call], None]:
    def give(call: Call) -> None:
        call.send_head(status, **{"content_type": "image/png", **headers})
        call.send_bytes(content)
        call.close()

    return give


def test_avatar_requests_to_the_service_carry_no_credentials(client: Client, upstream: Upstream):
    upstream.answers[PLACE] = upstream.answers["/api/v1"] = gives(PICTURE)
    upstream.answers["/api/avatars/a.png"] = gives(PICTURE)
    for address in (PLACE, upstream.url + PLACE, "avatars/a.png", "?a"):
        assert client.fetch_avatar(address) == PICTURE, address

    assert len(upstream.calls) == 4
    for call in upstream.calls:
        assert UPSTREAM_KEY not in str(call.headers)
        assert not {"Authorization", "Cookie", "Referer"} & call.headers.keys()


@pytest.mark.usefixtures("in_the_internet")
def test_avatar_requests_to_other_hosts_carry_only_generic_headers(
    client: Client, upstream: Upstream, elsewhere: Upstream
):
    assert client.fetch_avatar(f"{elsewhere.url}/a.png?size=1") == PICTURE

    (call,) = elsewhere.calls
    assert call.path == "/a.png?size=1"
    assert call.headers["Host"] == elsewhere.url.removeprefix("http://")
    assert call.headers.keys() == {"Host", *avatar_download.HEADERS}
    assert upstream.calls == []


NEAR = [
    *("127.0.0.1", "127.1", "0", "0x7f.1", "2130706433", "0177.0.0.1", "localhost", "localhost."),
    *("[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::7f00:1]"),
    *("[2002:7f00:1::]", "[fd00::1]", "[fe80::1]", "[fec0::1]", "[ff02::1]", "[::7f00:1]"),
    *("10.0.0.1", "172.16.0.1", "192.168.1.1", "100.64.0.1", "169.254.169.254"),
    "0.0.0.0",  # noqa: S104
    *("100.100.100.200", "192.0.0.192", "168.63.129.16", "224.0.0.1", "255.255.255.255"),
    *("198.18.0.1", "240.0.0.1", "\uff11\uff12\uff17.0.0.1"),
]


def test_private_addresses_are_not_connected_to(
    client: Client, elsewhere: Upstream, monkeypatch: pytest.MonkeyPatch
):
    port = int(elsewhere.url.rpartition(":")[2])
    monkeypatch.setitem(avatar_download.DEFAULT_PORTS, "test", port)
    monkeypatch.setattr(socket.socket, "connect", _never)
    refused = re.compile("not a public host|Errno|Parse|label")
    addresses = [f"{scheme}://{host}:{port}/a.png" for host in NEAR for scheme in ("http", "https")]

    reasons = [(address, _refusal(client, address)) for address in addresses]
    assert [each for each in reasons if not refused.search(each[1])] == []
    assert elsewhere.calls == []


NO_ADDRESSES = [
    "file:///etc/passwd",
    "ftp://example.com/a.png",
    "gopher://example.com/a",
    "data:image/png;base64,AAAA",
    "javascript:alert(1)",
    "https://",
    "http:///a.png",
    "http://example.com@127.0.0.1/a.png",
    "http://127.0.0.1\\@example.com/a.png",
    "http://example.com:port/",
    "http://[::1/a.png",
    "http://a b/c",
    "//127.0.0.1:1/a.png",
    "\\\\127.0.0.1\\a.png",
    "http://" + "a" * 300 + ".example/",
]


def test_malformed_and_non_http_urls_are_not_requested(
    client: Client, upstream: Upstream, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(socket.socket, "connect", _never)
    monkeypatch.setattr(socket, "getaddrinfo", _unknown)

    assert [address for address in NO_ADDRESSES if not _refusal(client, address)] == []
    assert upstream.calls == []


PLACES = ["example.com:22", "example.com:6379", "user:password@example.com", "user@{own}"]


def test_urls_with_a_user_or_a_non_default_port_are_not_requested(
    client: Client, upstream: Upstream, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(socket, "getaddrinfo", _names(["93.184.216.34"]))
    monkeypatch.setattr(socket.socket, "connect", _never)
    places = [place.format(own=upstream.url[7:]) for place in PLACES]

    reasons = [(place, _refusal(client, f"http://{place}/a.png")) for place in places]
    assert [each for each in reasons if "contains a user or a port" not in each[1]] == []


def test_last_group_of_an_ipv6_address_is_not_taken_for_a_port(
    client: Client, monkeypatch: pytest.MonkeyPatch
):
    """The last group of an IPv6 address is not a port."""
    requested: list[Any] = []

    def refuse(_socket: socket.socket, address: Any) -> None:
        requested.append(address[:2])
        raise ConnectionRefusedError

    monkeypatch.setattr(socket.socket, "connect", refuse)
    for address in ("http://[2606:4700::6810:22]/a.png", "https://[2606:4700::6810:22]/a.png"):
        with pytest.raises(AvatarUnavailable):
            client.fetch_avatar(address)

    assert requested == [("2606:4700::6810:22", 80), ("2606:4700::6810:22", 443)]


def test_hosts_that_resolve_to_private_addresses_are_not_connected_to(
    client: Client, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(socket.socket, "connect", _never)
    for names in (["10.0.0.1"], ["93.184.216.34", "10.0.0.1"]):
        monkeypatch.setattr(socket, "getaddrinfo", _names(names))
        with pytest.raises(AvatarUnavailable, match=r"twins\.example is not a public host"):
            client.fetch_avatar("https://twins.example/a.png")


@pytest.mark.usefixtures("in_the_internet")
def test_connection_uses_the_address_that_was_checked(
    client: Client, elsewhere: Upstream, monkeypatch: pytest.MonkeyPatch
):
    """The name is resolved once: DNS rebinding cannot change the address after the check."""
    port = int(elsewhere.url.rpartition(":")[2])
    monkeypatch.setattr(socket, "getaddrinfo", _names(["127.0.0.1"], then=["10.0.0.1"]))

    assert client.fetch_avatar(f"http://twins.example:{port}/a.png") == PICTURE
    assert elsewhere.calls[0].headers["Host"] == f"twins.example:{port}"
    with pytest.raises(AvatarUnavailable, match="not a public host"):
        client.fetch_avatar(f"http://twins.example:{port}/a.png")


@pytest.mark.usefixtures("in_the_internet")
def test_ipv6_address_is_requested_at_the_port_of_its_scheme(
    client: Client, elsewhere: Upstream, monkeypatch: pytest.MonkeyPatch
):
    """http.client must not take the last group of the address for a port."""
    port = int(elsewhere.url.rpartition(":")[2])
    requested = []

    def getaddrinfo(host: str, requested_port: int, **_: Any) -> list[Any]:
        requested.append((host, requested_port))
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)

    assert client.fetch_avatar("http://[2606:4700::6810:22]/a.png") == PICTURE
    assert requested == [("2606:4700::6810:22", 80)]
    assert elsewhere.calls[0].headers["Host"] == "[2606:4700::6810:22]"


def test_redirects_are_not_followed(client: Client, upstream: Upstream, elsewhere: Upstream):
    for status in (301, 302, 303, 307, 308):
        upstream.answers[PLACE] = gives(b"", status, location=f"{elsewhere.url}/a.png")
        with pytest.raises(AvatarUnavailable, match=str(status)):
            client.fetch_avatar(PLACE)
    assert elsewhere.calls == []


def test_only_status_200_returns_an_avatar(client: Client, upstream: Upstream):
    for status in (204, 206, 304, 401, 404, 500):
        upstream.answers[PLACE] = gives(b"", status)
        assert _refusal(client, PLACE), status


@pytest.mark.limit("L42")
def test_avatar_size_is_limited(
    client: Client, upstream: Upstream, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(avatar_download, "MAX_SAME_ORIGIN_BYTES", 1000)
    upstream.answers[PLACE] = gives(b"x" * 1000)
    assert client.fetch_avatar(PLACE) == b"x" * 1000

    for size, length in (
        (1001, {}),
        (10_000, {}),
        (1001, {"content_length": "1001"}),
        (1001, {"content_length": "5000000000"}),
    ):
        upstream.answers[PLACE] = gives(b"x" * size, **length)
        with pytest.raises(AvatarUnavailable):
            client.fetch_avatar(PLACE)


@pytest.mark.usefixtures("in_the_internet")
def test_avatar_size_limit_is_lower_for_other_hosts(
    client: Client, elsewhere: Upstream, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(avatar_download, "MAX_BYTES", len(PICTURE) - 1)

    with pytest.raises(AvatarUnavailable, match="too large"):
        client.fetch_avatar(f"{elsewhere.url}/a.png")


def test_compressed_responses_are_not_decompressed(client: Client, upstream: Upstream):
    """A decompression bomb turns a few bytes into gigabytes."""
    bomb = gzip.compress(bytes(10_000_000))
    upstream.answers[PLACE] = gives(bomb, content_encoding="gzip")

    assert client.fetch_avatar(PLACE) == bomb


def test_truncated_body_is_rejected(client: Client, upstream: Upstream):
    upstream.answers[PLACE] = gives(PICTURE[:-9], content_length=str(len(PICTURE)))

    with pytest.raises(AvatarUnavailable):
        client.fetch_avatar(PLACE)


def _refusal(client: Client, address: str) -> str:
    """Return the reason why an avatar is unavailable, or ""."""
    try:
        client.fetch_avatar(address)
    except AvatarUnavailable as error:
        return str(error) or "no picture"
    return ""


def _never(*_: Any) -> None:
    raise AssertionError("it was connected to")


def _unknown(*_: Any, **__: Any) -> Any:
    raise socket.gaierror(-2, "Name or service not known")


def _names(addresses: list[str], *, then: list[str] | None = None) -> Callable[..., Any]:
    answers = [addresses] if then is None else [addresses, then]

    def getaddrinfo(_host: str, port: int, **_: Any) -> list[Any]:
        found = answers.pop(0) if len(answers) > 1 else answers[0]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port)) for each in found]

    return getaddrinfo
