"""A scripted provider of OpenID Connect on a real socket."""

from __future__ import annotations

import base64
import hashlib
import secrets
import time
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from tests.service.identity_provider import IdentityProvider
from tests.support.upstream import Call, Upstream

LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout"
CLIENT_ID, CLIENT_SECRET = "twindow", "a-secret"
BASIC = f"Basic {base64.b64encode(f'{CLIENT_ID}:{CLIENT_SECRET}'.encode()).decode()}"


class OidcProvider:
    """A provider that signs everybody in as the person in `claims`.

    Tests change what it says: `claims` and `userinfo` of the next person, `token_changes` of the
    claims of the next ID token, `configuration`, and `error` instead of a code.
    """

    def __init__(
        self, upstream: Upstream, portal_url: str = "http://127.0.0.1:8000", realm: str = "realm"
    ) -> None:
        self.portal_url = portal_url
        self.keys = IdentityProvider(upstream)
        self.keys.add_key("key-1")
        self.signing_key = "key-1"
        self.issuer = f"{upstream.url}/{realm}"
        self.claims: dict[str, Any] = {"sub": "anna-1", "name": "Anna Smith"}
        self.userinfo: dict[str, Any] = {}
        self.token_changes: dict[str, Any] = {}
        self.error = ""
        self.is_signed_in = False
        self.authorizations: dict[str, dict[str, str]] = {}
        self.authorize_calls: list[dict[str, str]] = []
        self.configuration: dict[str, Any] = {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "userinfo_endpoint": f"{self.issuer}/userinfo",
            "jwks_uri": self.keys.url,
            "end_session_endpoint": f"{self.issuer}/logout",
            "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
        }
        upstream.answers |= {
            f"/{realm}/.well-known/openid-configuration": self._answer_configuration,
            f"/{realm}/authorize": self._answer_authorize,
            f"/{realm}/logout": (200, "You are signed out here"),
            f"/{realm}/token": self._answer_token,
            f"/{realm}/userinfo": lambda call: call.respond(200, {**self.claims, **self.userinfo}),
        }

    def settings(self) -> dict[str, Any]:
        """Return the settings of a portal whose people sign in here."""
        return {
            "sign_in": "oidc",
            "port": urlsplit(self.portal_url).port,
            "public_url": self.portal_url,
            "oidc_issuer": self.issuer,
            "oidc_client_id": CLIENT_ID,
            "oidc_client_secret": CLIENT_SECRET,
            "oidc_name": "Example ID",
        }

    def logout_token(self, **changes: Any) -> str:
        """Return a logout token for the person, with other claims; None leaves one out."""
        claims = {"iss": self.issuer, "aud": CLIENT_ID, "sub": self.claims["sub"], "jti": "1"}
        claims |= {"iat": time.time(), "exp": time.time() + 120, "events": {LOGOUT_EVENT: {}}}
        return self.keys.sign(self.signing_key, **(claims | changes))

    def _answer_configuration(self, call: Call) -> None:
        call.respond(200, self.configuration)

    def _answer_authorize(self, call: Call) -> None:
        """Send the browser back with a code, as after a sign-in."""
        query = {name: values[0] for name, values in parse_qs(urlsplit(call.path).query).items()}
        self.authorize_calls.append(query)
        if query["client_id"] != CLIENT_ID:
            call.respond(400, "Client not found")
            return
        if not query["redirect_uri"].startswith(self.portal_url):
            call.respond(400, "Invalid parameter: redirect_uri")
            return
        code = secrets.token_hex(8)
        self.authorizations[code] = query
        error = self.error
        if not set(query["scope"].split()) <= {"openid", "profile", "email"}:
            error = "invalid_scope"
        elif query.get("prompt") == "none" and not self.is_signed_in:
            error = "login_required"
        elif not error:
            self.is_signed_in = True
        answer = {"error": error} if error else {"code": code}
        answer |= {"state": query["state"], "iss": self.issuer}
        call.send_head(302, location=f"{query['redirect_uri']}?{urlencode(answer)}")
        call.close()

    def _answer_token(self, call: Call) -> None:
        """Exchange a code once (RFC 6749, 4.1.3; RFC 7636, 4.6)."""
        form = {name: values[0] for name, values in parse_qs(call.body).items()}
        if (
            call.headers.get("Authorization") != BASIC
            and form.get("client_secret") != CLIENT_SECRET
        ):
            call.respond(401, {"error": "invalid_client"})
            return
        query = self.authorizations.pop(form["code"], None)
        digest = hashlib.sha256(form["code_verifier"].encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        is_valid = (
            query is not None
            and query["code_challenge"] == challenge
            and query["redirect_uri"] == form["redirect_uri"]
        )
        if not is_valid:
            call.respond(400, {"error": "invalid_grant"})
            return
        assert query
        claims = {"iss": self.issuer, "aud": query["client_id"], "nonce": query["nonce"]}
        claims |= {"iat": time.time(), "exp": time.time() + 300, **self.claims}
        token = self.keys.sign(self.signing_key, **(claims | self.token_changes))
        call.respond(200, {"access_token": "a", "token_type": "Bearer", "id_token": token})
