"""Check of the provider of OpenID Connect: the first problem, and a line that may fix it."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

from authlib.integrations.base_client import OAuthError

from twindow.core.findings import Finding
from twindow.core.jwks import SigningKeysUnavailable
from twindow.core.outbound.responses import NETWORK_ERRORS, describe_network_error
from twindow.core.settings import Settings
from twindow.web.oidc.provider import (
    LEEWAY_SECONDS,
    Attempt,
    Configuration,
    InvalidResponse,
    Provider,
    ProviderUnavailable,
    WrongIssuer,
)

# What a provider answers to `prompt=none` (OpenID Connect Core, 3.1.2.6).
NOBODY_SIGNED_IN = {
    "login_required",
    "interaction_required",
    "consent_required",
    "account_selection_required",
}


def check_provider(provider: Provider, settings: Settings) -> Iterator[Finding]:
    """Ask the provider as a browser and as the portal do; nobody signs in."""
    problem = _find_problem(provider, settings)
    yield problem or Finding(f"The provider {provider.issuer} accepts this portal.")


def _find_problem(provider: Provider, settings: Settings) -> Finding | None:
    """Return a problem, or what could not be checked, or None."""
    try:
        configuration = provider.configuration()
        provider.keys().fetch_data()
    except WrongIssuer as error:
        sentence = f"The configuration of the provider is for another issuer: {error.issuer}."
        return _problem(sentence, f"TWINDOW_OIDC_ISSUER={error.issuer}")
    except InvalidResponse as error:
        return _problem(f"The provider cannot be used: {error}.", f"curl -i {provider.url}")
    except ProviderUnavailable as error:
        is_certificate = "certificate" in str(error)
        fix = "TWINDOW_CA_FILE=authority.pem" if is_certificate else f"curl -i {provider.url}"
        return _problem(f"The provider cannot be reached: {error}.", fix)
    except SigningKeysUnavailable:
        url = provider.configuration().jwks_uri
        return _problem(f"The provider has no keys at {url}.", f"curl -i {url}")
    difference = abs(provider.seconds_ahead)
    if difference > LEEWAY_SECONDS:
        sentence = f"The clocks of the provider and of this machine differ by {difference:.0f} s."
        return _problem(sentence, "timedatectl set-ntp true")
    try:
        seen = _find_refusal_of_browser(provider, settings)
        if seen and seen.is_problem:
            return seen
        return _find_refusal_of_client(provider, configuration) or seen
    except NETWORK_ERRORS as error:
        return _problem(f"The provider cannot be reached: {describe_network_error(error)}.")


def _find_refusal_of_browser(provider: Provider, settings: Settings) -> Finding | None:
    """Ask for a sign-in that needs no person: the provider must send the browser back."""
    nonce = secrets.token_urlsafe(32)
    attempt = Attempt(nonce, nonce, secrets.token_urlsafe(48), "/", is_silent=True)
    with provider.client() as client:
        url = provider.authorization_url(attempt)
        response = client.request("GET", url, withhold_token=True, allow_redirects=False)
    location = response.headers.get("Location", "")
    if response.status_code >= 400:
        return _problem(
            f"The provider refuses the client “{settings.oidc_client_id}” or the redirect address "
            f"of this portal (status {response.status_code}): register both there.",
            provider.redirect_uri,
        )
    if not location.startswith(provider.redirect_uri):
        return Finding(
            "The provider answers with a page that only a person can read. Open it to see whether "
            f"it accepts this portal: {url}"
        )
    query = parse_qs(urlsplit(location).query)
    error = query.get("error", [""])[0]
    if error == "invalid_scope":
        sentence = f"The provider does not accept the scopes “{settings.oidc_scopes}”."
        return _problem(sentence, "TWINDOW_OIDC_SCOPES=openid profile email")
    if error and error not in NOBODY_SIGNED_IN:
        description = query.get("error_description", [""])[0]
        return _problem(f"The provider refuses the portal: {error}: {description}.")
    return None


def _find_refusal_of_client(provider: Provider, configuration: Configuration) -> Finding | None:
    """Redeem a code that does not exist: the provider must accept the client, but not the code."""
    with provider.client() as client:
        try:
            client.fetch_token(
                configuration.token_endpoint,
                code="check",
                code_verifier=secrets.token_urlsafe(48),
                allow_redirects=False,
            )
        except OAuthError as error:
            if error.error not in ("invalid_client", "unauthorized_client"):
                return None
            return _problem(
                f"The provider does not accept the secret of this portal: {error}.",
                "TWINDOW_OIDC_CLIENT_SECRET=the secret of the client",
            )
        except ValueError:
            return _problem(f"{configuration.token_endpoint} does not answer with JSON.")
    return None


def _problem(sentence: str, fix: str = "") -> Finding:
    return Finding(sentence, is_problem=True, fix=fix)
