"""`twindow check` of a provider: one cause and one line for each broken set-up."""

from __future__ import annotations

import pytest

from tests.support.clock import AdjustableClock
from tests.support.oidc_provider import CLIENT_ID, CLIENT_SECRET, OidcProvider
from tests.support.upstream import Upstream
from twindow.core.settings import Settings
from twindow.web.commands.provider_check import check_provider
from twindow.web.oidc.provider import CONFIGURATION_PATH, Provider

CONFIGURATION = f"/realm{CONFIGURATION_PATH}"
REDIRECT_URI = "http://127.0.0.1:8000/session/oidc"


@pytest.fixture
def provider(upstream: Upstream) -> OidcProvider:
    return OidcProvider(upstream)


def check(provider: OidcProvider, seconds_ahead: float = 0, **changes: object) -> tuple[str, str]:
    """Check a set-up, and return the sentence and the line; the line is "" if all is well."""
    values = {
        "oidc_issuer": provider.issuer,
        "oidc_client_id": CLIENT_ID,
        "oidc_client_secret": CLIENT_SECRET,
        "public_url": "http://127.0.0.1:8000",
    }
    settings = Settings(**(values | changes))  # type: ignore[arg-type]
    clock = AdjustableClock()
    clock.advance(seconds_ahead)
    [finding] = check_provider(Provider(settings, clock), settings)
    assert finding.is_problem == bool(finding.fix)
    return finding.sentence, finding.fix


def test_correct_set_up_has_no_problem(provider: OidcProvider):
    assert check(provider)[1] == ""


def test_each_broken_set_up_is_reported_with_its_cause_and_a_line(
    provider: OidcProvider, upstream: Upstream
):
    configured = upstream.answers[CONFIGURATION]
    found = {}
    upstream.answers[CONFIGURATION] = 404, {}
    found["another path"] = check(provider)
    upstream.answers[CONFIGURATION] = 200, b"<html>Sign in</html>"
    found["another page"] = check(provider)
    upstream.answers[CONFIGURATION] = configured
    found["clock"] = check(provider, seconds_ahead=600)
    found["unreachable"] = check(provider, oidc_issuer="http://127.0.0.1:9")
    provider.configuration["issuer"] += "/"
    found["issuer"] = check(provider)
    provider.configuration["issuer"] = provider.issuer
    found["address"] = check(provider, oidc_issuer=f"{provider.issuer}{CONFIGURATION_PATH}")
    provider.configuration["id_token_signing_alg_values_supported"] = ["HS256"]
    found["signature"] = check(provider)
    del provider.configuration["id_token_signing_alg_values_supported"]
    provider.keys.forced_answer = 500, {}
    found["keys"] = check(provider)
    provider.keys.forced_answer = None
    found["redirect address"] = check(provider, public_url="http://127.0.0.1:8001")
    found["client"] = check(provider, oidc_client_id="twindwo")
    found["secret"] = check(provider, oidc_client_secret="wrong")
    found["scope"] = check(provider, oidc_scopes="openid grups")

    causes = {
        "another path": ("status 404", "curl -i"),
        "another page": ("malformed", "curl -i"),
        "clock": ("differ by", "timedatectl set-ntp true"),
        "unreachable": ("Connection refused", "curl -i http://127.0.0.1:9/.well-known"),
        "issuer": ("another issuer", f"TWINDOW_OIDC_ISSUER={provider.issuer}/"),
        "address": ("another issuer", f"TWINDOW_OIDC_ISSUER={provider.issuer}"),
        "signature": ("it signs with HS256, not with a key pair", "curl -i"),
        "keys": ("no keys at", "curl -i"),
        "redirect address": ("redirect address", "http://127.0.0.1:8001/session/oidc"),
        "client": ("the client “twindwo”", REDIRECT_URI),
        "secret": ("the secret", "TWINDOW_OIDC_CLIENT_SECRET="),
        "scope": ("the scopes “openid grups”", "TWINDOW_OIDC_SCOPES=openid profile email"),
    }
    for name, (cause, line) in causes.items():
        assert cause in found[name][0], found[name]
        assert found[name][1].startswith(line), found[name]
