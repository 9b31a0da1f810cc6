"""The provider: its configuration, its pages, and the claims about a person.

OpenID Connect Core 1.0, with the authorization code flow and PKCE (RFC 7636).
"""

from __future__ import annotations

import hmac
import time
from contextlib import suppress
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlencode

import jwt
import msgspec
import requests
from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session

from twindow.core.clock import Clock
from twindow.core.jwks import PROVIDER_ALGORITHMS, JwksClient, SigningKeysUnavailable
from twindow.core.outbound.adapter import OutboundAdapter, open_session
from twindow.core.outbound.responses import (
    NETWORK_ERRORS,
    ResponseTooLarge,
    describe_network_error,
    read_bounded,
)
from twindow.core.settings import Settings
from twindow.core.urls import is_https_or_loopback

CONFIGURATION_PATH = "/.well-known/openid-configuration"
CONFIGURATION_SECONDS = 3600.0
# Pause between requests for the configuration while the provider is unavailable.
RETRY_SECONDS = 10
TIMEOUT_SECONDS = 5.0
LEEWAY_SECONDS = 60
MAX_RESPONSE_BYTES = 256 * 1024
# OpenID Connect Core, 2.
MAX_SUBJECT_CHARACTERS = 255
LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout"
# An older token may have been recorded.
MAX_LOGOUT_AGE_SECONDS = 600
# Logout tokens have few claims, and anybody can send them.
MAX_LOGOUT_CHARACTERS = 16 * 1024
# What libraries raise for JSON that has other types than they expect.
UNREADABLE = (
    AttributeError,
    NotImplementedError,
    OverflowError,
    RecursionError,
    TypeError,
    ValueError,
)
REQUIRED_CLAIMS = ["iss", "sub", "aud", "exp", "iat"]


class ProviderUnavailable(Exception):
    """Raised while the provider cannot be reached. The message is the cause, for the log."""


class InvalidResponse(Exception):
    """Raised for a response that the specification does not allow. The message says why."""


class WrongIssuer(InvalidResponse):
    """Raised if the configuration is for another `issuer` than that in the settings."""

    def __init__(self, issuer: str) -> None:
        super().__init__(f"its configuration is for the issuer “{issuer}”")
        self.issuer = issuer


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt to sign in; `next_path` is the page that was asked for.

    `state`, `nonce` and `verifier` are random (OpenID Connect Core, 3.1.2.1; RFC 7636, 4.1).
    """

    state: str
    nonce: str
    verifier: str
    next_path: str
    # Whether the provider may only confirm who is signed in there, without asking.
    is_silent: bool = False


@dataclass(frozen=True, slots=True)
class Logout:
    """The end of a person's sign-ins at the provider, or of the one with this `sid`."""

    subject: str | None
    sid: str | None
    # Seconds since then.
    age: float


class Configuration(msgspec.Struct, frozen=True, kw_only=True):
    """What is read of a provider's configuration (OpenID Connect Discovery 1.0, 3)."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str | None = None
    end_session_endpoint: str | None = None
    token_endpoint_auth_methods_supported: tuple[str, ...] = ("client_secret_basic",)
    id_token_signing_alg_values_supported: tuple[str, ...] = ("RS256",)


class _BoundedAdapter(OutboundAdapter):
    """Adapter that reads each response at once: up to `MAX_RESPONSE_BYTES`."""

    def send(self, request: requests.PreparedRequest, *args: Any, **options: Any) -> Any:
        options |= {"stream": True, "timeout": TIMEOUT_SECONDS}
        response = super().send(request, *args, **options)
        try:
            response._content = read_bounded(response, MAX_RESPONSE_BYTES, TIMEOUT_SECONDS)
        except ResponseTooLarge as error:
            raise requests.RequestException(f"more than {error} bytes") from None
        finally:
            response.close()
        return response


class Provider:
    """The provider in the settings, as a client of it."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self.issuer = settings.oidc_issuer or ""
        # The address of the configuration (OpenID Connect Discovery 1.0, 4). People paste it
        # instead of the issuer; the check then says what to write.
        root = self.issuer.removesuffix(CONFIGURATION_PATH).rstrip("/")
        self.url = f"{root}{CONFIGURATION_PATH}"
        # Where the provider sends browsers back, and where after signing out.
        portal_url = (settings.public_url or "").rstrip("/")
        self.redirect_uri = f"{portal_url}/session/oidc"
        self._signed_out_uri = f"{portal_url}/session/new"
        self._settings = settings
        self._clock = clock
        self._adapter = _BoundedAdapter(settings.outbound)
        self._configuration: Configuration | None = None
        self._expires_at = 0.0
        self._failure = ""
        self._retry_at = 0.0
        self._keys: JwksClient | None = None
        # How far its clock was ahead of this machine when the configuration was fetched.
        self.seconds_ahead = 0.0

    def configuration(self) -> Configuration:
        """Return the configuration, which is fetched once an hour.

        Raises ProviderUnavailable and InvalidResponse.
        """
        if self._configuration is None or self._clock.monotonic() > self._expires_at:
            if self._clock.monotonic() < self._retry_at:
                raise ProviderUnavailable(self._failure)
            try:
                self._configuration = self._fetch_configuration()
            except ProviderUnavailable as error:
                self._failure = str(error)
                self._retry_at = self._clock.monotonic() + RETRY_SECONDS
                raise
            self._expires_at = self._clock.monotonic() + CONFIGURATION_SECONDS
        return self._configuration

    def keys(self) -> JwksClient:
        """Return the client of the provider's keys. Raises ProviderUnavailable, InvalidResponse."""
        uri = self.configuration().jwks_uri
        if self._keys is None or self._keys.uri != uri:
            self._keys = JwksClient(uri, self._settings.outbound, self._clock)
        return self._keys

    def authorization_url(self, attempt: Attempt) -> str:
        """Return the page of the provider where a person signs in.

        Raises ProviderUnavailable and InvalidResponse.
        """
        configuration = self.configuration()
        with self.client() as client:
            url, _ = client.create_authorization_url(
                configuration.authorization_endpoint,
                state=attempt.state,
                nonce=attempt.nonce,
                code_verifier=attempt.verifier,
                **({"prompt": "none"} if attempt.is_silent else {}),
            )
        return str(url)

    @property
    def can_sign_out(self) -> bool:
        """Return whether the provider is known to have a page for signing out."""
        return bool(self._configuration and self._configuration.end_session_endpoint)

    def sign_out_url(self, id_token: str) -> str:
        """Return the page of the provider for signing out (RP-Initiated Logout 1.0).

        Raises ProviderUnavailable and InvalidResponse, also if there is no such page.
        """
        endpoint = self.configuration().end_session_endpoint
        if not endpoint:
            raise InvalidResponse("there is no end_session_endpoint")
        query = {
            "client_id": self._settings.oidc_client_id,
            "post_logout_redirect_uri": self._signed_out_uri,
        }
        query |= {"id_token_hint": id_token} if id_token else {}
        return f"{endpoint}{'&' if '?' in endpoint else '?'}{urlencode(query)}"

    def read_logout_token(self, token: str) -> Logout:
        """Return whom a logout token names.

        OpenID Connect Back-Channel Logout 1.0, 2.6. Raises ProviderUnavailable and InvalidResponse.
        """
        if len(token) > MAX_LOGOUT_CHARACTERS:
            raise InvalidResponse("the token is too long")
        claims = self._decode(token, ["iss", "aud", "iat", "events"])
        events, age = claims["events"], time.time() - claims["iat"]
        if not isinstance(events, dict) or LOGOUT_EVENT not in events or "nonce" in claims:
            raise InvalidResponse("it is no logout token")
        if age > MAX_LOGOUT_AGE_SECONDS:
            raise InvalidResponse("the logout token is old")
        subject, sid = claims.get("sub"), claims.get("sid")
        names = [name for name in (subject, sid) if name is not None]
        if not names or not all(isinstance(name, str) and name.isprintable() for name in names):
            raise InvalidResponse("the logout token names nobody")
        return Logout(subject, sid, age)

    def redeem(self, code: str, attempt: Attempt) -> tuple[dict[str, Any], str]:
        """Exchange a code for the claims about the person, and the ID token.

        Claims that the ID token lacks are those of the provider's userinfo. Raises
        ProviderUnavailable and InvalidResponse.
        """
        configuration = self.configuration()
        with self.client() as client:
            try:
                token = client.fetch_token(
                    configuration.token_endpoint,
                    code=code,
                    code_verifier=attempt.verifier,
                    allow_redirects=False,
                )
                claims = self._verify(token.get("id_token"), attempt.nonce)
                if configuration.userinfo_endpoint and not self._wanted_claims <= claims.keys():
                    claims = _read_userinfo(client, configuration.userinfo_endpoint, claims)
            except OAuthError as error:
                raise InvalidResponse(f"the code is refused: {error}") from None
            except NETWORK_ERRORS as error:
                raise ProviderUnavailable(describe_network_error(error)) from None
            except UNREADABLE as error:
                raise InvalidResponse(f"a response cannot be read: {error}") from None
        return claims, token["id_token"]

    @property
    def _wanted_claims(self) -> set[str]:
        groups_claim = (self._settings.oidc_groups_claim or "name").partition(".")[0]
        return {"name", groups_claim, *(["email"] if self._settings.oidc_allowed_domains else [])}

    def client(self) -> OAuth2Session:
        """Return a client for one sign-in: it keeps the token of the person.

        Raises ProviderUnavailable and InvalidResponse.
        """
        # Programs disagree about the encoding of special characters in `client_secret_basic`.
        methods = self.configuration().token_endpoint_auth_methods_supported
        names = (name for name in ("client_secret_post", "client_secret_basic") if name in methods)
        secret = self._settings.oidc_client_secret
        client = OAuth2Session(
            self._settings.oidc_client_id,
            secret,
            token_endpoint_auth_method=next(names, None) if secret else "none",
            scope=self._settings.oidc_scopes,
            redirect_uri=self.redirect_uri,
            code_challenge_method="S256",
        )
        client.trust_env = False
        client.mount("https://", self._adapter)
        client.mount("http://", self._adapter)
        return client

    def _fetch_configuration(self) -> Configuration:
        url = self.url
        try:
            with open_session(self._adapter) as session:
                response = session.get(url, allow_redirects=False)
        except NETWORK_ERRORS as error:
            raise ProviderUnavailable(f"{url}: {describe_network_error(error)}") from None
        if response.status_code != 200:
            raise ProviderUnavailable(f"{url}: status {response.status_code}")
        with suppress(*UNREADABLE):
            date = parsedate_to_datetime(response.headers.get("Date", ""))
            self.seconds_ahead = date.timestamp() - self._clock.time()
        try:
            configuration = msgspec.json.decode(response.content, type=Configuration)
        except UNREADABLE as error:
            raise InvalidResponse(f"{url}: {error}") from None
        if configuration.issuer != self.issuer:
            raise WrongIssuer(configuration.issuer)
        algorithms = configuration.id_token_signing_alg_values_supported
        addresses = (
            configuration.authorization_endpoint,
            configuration.token_endpoint,
            configuration.jwks_uri,
            configuration.userinfo_endpoint,
            configuration.end_session_endpoint,
        )
        if not all(address.isprintable() for address in addresses if address):
            raise InvalidResponse(f"{url} has unusual addresses")
        if not all(is_https_or_loopback(address) for address in addresses if address):
            raise InvalidResponse(f"{url} has addresses without https")
        if not set(PROVIDER_ALGORITHMS).intersection(algorithms):
            raise InvalidResponse(f"it signs with {', '.join(algorithms)}, not with a key pair")
        return configuration

    def _verify(self, id_token: object, nonce: str) -> dict[str, Any]:
        """Return the claims of an ID token (OpenID Connect Core, 3.1.3.7)."""
        if not isinstance(id_token, str):
            raise InvalidResponse("there is no ID token")
        claims, client_id = self._decode(id_token, REQUIRED_CLAIMS), self._settings.oidc_client_id
        if claims.get("azp", client_id) != client_id:
            raise InvalidResponse("the ID token is for another client")
        if not hmac.compare_digest(str(claims.get("nonce")).encode(), nonce.encode()):
            raise InvalidResponse("the ID token is of another attempt")
        subject: str = claims["sub"]
        is_suitable = subject.isprintable() and subject == subject.strip()
        if not (is_suitable and 0 < len(subject) <= MAX_SUBJECT_CHARACTERS):
            raise InvalidResponse("the claim sub is no name")
        return claims

    def _decode(self, token: str, required: list[str]) -> dict[str, Any]:
        """Return the claims of a token that the provider has signed for this client."""
        keys = self.keys()
        try:
            claims: dict[str, Any] = jwt.decode(
                token,
                keys.get_signing_key_from_jwt(token),
                algorithms=list(PROVIDER_ALGORITHMS),
                audience=self._settings.oidc_client_id,
                issuer=self.issuer,
                leeway=LEEWAY_SECONDS,
                options={"require": required, "enforce_minimum_key_length": True},
            )
        except SigningKeysUnavailable:
            raise ProviderUnavailable(f"{keys.uri}: no keys") from None
        except (jwt.PyJWTError, *UNREADABLE) as error:
            raise InvalidResponse(f"a token is refused: {error}") from None
        return claims


def _read_userinfo(client: OAuth2Session, url: str, claims: dict[str, Any]) -> dict[str, Any]:
    response = client.get(url, allow_redirects=False)
    userinfo = response.json() if response.status_code == 200 else None
    if not isinstance(userinfo, dict) or userinfo.get("sub") != claims["sub"]:
        raise InvalidResponse(f"{url}: status {response.status_code}, or another person")
    # The address and whether it is verified belong together.
    addresses = claims if "email" in claims else userinfo
    merged = userinfo | claims
    for name in ("email", "email_verified"):
        merged[name] = addresses.get(name)
    return merged
