"""A company network: each client of another server uses the company's authority and proxy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.support.certificates import CertificateAuthority
from tests.support.images import png
from tests.support.squid import Squid, run_squid
from tests.support.tls_front import run_tls_front
from tests.support.upstream import TWINS, Upstream
from tests.support.waiting import wait_until
from twindow.core.clock import SYSTEM_CLOCK
from twindow.core.jwks import JwksClient
from twindow.core.settings import Settings, load_settings
from twindow.service.llm import ModelClient
from twindow.service.twins import FrontMatter
from twindow.twinapi import AvatarDownloader, Client
from twindow.web.oidc.provider import Provider

HOST = "partner.test"  # only the proxy knows it


@pytest.fixture
def squid(processes: None) -> Iterator[Squid]:
    with run_squid(HOST) as squid:
        yield squid


@pytest.fixture
def settings(squid: Squid, upstream: Upstream, tmp_path: Path) -> Iterator[Settings]:
    """Settings of an embedded service; `upstream` is behind TLS, as the model server."""
    authority = CertificateAuthority(tmp_path)
    with run_tls_front(upstream.url, authority.make_signed(HOST)) as front:
        yield load_settings(
            {
                "data_dir": tmp_path / "data",
                "model_url": f"https://{HOST}:{front.server_address[1]}",
                "model": "any",
                "ca_file": authority.root.pem,
                "outbound_proxy": squid.url,
            }
        )


def ask_model(settings: Settings) -> str:
    client = ModelClient(settings)
    return "".join(
        client.stream_reply([{"role": "user", "content": "Hi"}], FrontMatter(name="Ada"))
    )


CLIENTS: dict[str, tuple[Callable[[Settings, str], Any], Any]] = {
    "service": (
        lambda settings, url: Client(url, "key", outbound=settings.outbound).get_twin("ada").name,
        "Ada",
    ),
    "avatars": (
        lambda settings, url: AvatarDownloader(url, (), settings.outbound).fetch("/a.png"),
        png(),
    ),
    "identity provider": (
        lambda settings, url: JwksClient(f"{url}/keys", settings.outbound).fetch_data(),
        {"keys": [{"kty": "oct", "k": "a2V5"}]},
    ),
    "sign-in": (
        lambda settings, url: (
            Provider(replace(settings, oidc_issuer=url), SYSTEM_CLOCK).configuration().jwks_uri
        ),
        "https://id.example/keys",
    ),
    "model": (lambda settings, _url: ask_model(settings), "Hi there"),
}
CONFIGURATION = {
    "authorization_endpoint": "https://id.example/authorize",
    "token_endpoint": "https://id.example/token",
    "jwks_uri": "https://id.example/keys",
}
COMPLETION = {"choices": [{"message": {"content": "Hi there"}, "finish_reason": "stop"}]}


def test_each_client_of_another_server_uses_the_own_authority_and_the_proxy(
    settings: Settings, squid: Squid, upstream: Upstream
):
    upstream.answers |= {
        "/api/v1/twins/ada": lambda call: call.respond(200, {"data": TWINS[0]}),
        "/a.png": lambda call: call.respond(200, png(), content_type="image/png"),
        "/keys": lambda call: call.respond(200, {"keys": [{"kty": "oct", "k": "a2V5"}]}),
        "/.well-known/openid-configuration": lambda call: call.respond(
            200, CONFIGURATION | {"issuer": str(settings.model_url)}
        ),
        "/v1/chat/completions": lambda call: call.respond(200, COMPLETION),
    }
    url = str(settings.model_url)

    answers = {name: ask(settings, url) for name, (ask, _) in CLIENTS.items()}

    assert answers == {name: answer for name, (_, answer) in CLIENTS.items()}
    connection = f"CONNECT {url.removeprefix('https://')}"
    wait_until(lambda: squid.requests.count(connection) == len(CLIENTS))
