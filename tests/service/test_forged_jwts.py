"""JWTs that are invalid by mistake, or forged, are rejected."""

from __future__ import annotations

import hmac
import json
import time
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tests.service.identity_provider import ISSUER, IdentityProvider
from twindow.core.settings import load_settings
from twindow.service.credentials.jwt_tokens import InvalidToken, JwtTokens, SigningDisabled
from twindow.service.owners import PORTAL_NAME, PORTAL_OWNER


def test_jwt_signed_with_the_public_key_as_secret_is_rejected(
    tokens: JwtTokens, identity_provider: IdentityProvider
):
    """HS256 with the public key as secret: the algorithm confusion that affected many libraries."""
    public = identity_provider.keys["one"][1].public_key()
    pem = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    _, claims, _ = identity_provider.sign("one").split(".")
    head = encoded(json.dumps({"alg": "HS256", "typ": "JWT", "kid": "one"}).encode())
    for secret in (pem, pem.strip(), json.dumps(identity_provider.public_jwk("one")).encode()):
        signature = hmac.digest(secret, f"{head}.{claims}".encode(), "sha256")
        with pytest.raises(InvalidToken):
            tokens.verify(f"{head}.{claims}.{encoded(signature)}")


def encoded(data: bytes) -> str:
    return jwt.utils.base64url_encode(data).decode()


def test_service_secret_neither_signs_nor_verifies_jwts_if_a_provider_is_configured(
    tokens: JwtTokens, tmp_path: Path, identity_provider: IdentityProvider
):
    own = JwtTokens(load_settings({"data_dir": tmp_path, "jwt_issuer": ISSUER}))

    with pytest.raises(InvalidToken):
        tokens.verify(own.sign("alice"))
    with pytest.raises(SigningDisabled):
        tokens.sign("alice")
    with pytest.raises(InvalidToken):
        own.verify(identity_provider.sign("one"))


HEADERS: list[dict[str, Any]] = [
    {"kid": "../../dev/null"},
    {"kid": "' OR 1=1 --"},
    {"kid": ""},
    {"kid": None},
    {"kid": 3},
    {"alg": "none"},
    {"alg": "HS256"},
    {"alg": "ES256"},
]


def test_jwt_with_a_forged_header_is_rejected(
    tokens: JwtTokens, identity_provider: IdentityProvider
):
    head, claims, signature = identity_provider.sign("one").split(".")
    accepted = []
    for header in HEADERS:
        held = json.loads(jwt.utils.base64url_decode(head)) | header
        forged = encoded(json.dumps(held).encode())
        if is_valid(tokens, f"{forged}.{claims}.{signature}"):
            accepted.append(header)
    assert accepted == []


def is_valid(tokens: JwtTokens, token: str) -> bool:
    try:
        tokens.verify(token)
    except InvalidToken:
        return False
    return True


def test_key_inside_the_jwt_header_is_not_trusted(
    tokens: JwtTokens, identity_provider: IdentityProvider
):
    identity_provider.add_key("evil")
    own_key = {
        "jwk": identity_provider.public_jwk("evil"),
        "jku": "http://evil.example",
        "kid": "one",
    }
    token = identity_provider.sign("evil", header=own_key)
    del identity_provider.keys["evil"]

    with pytest.raises(InvalidToken):
        tokens.verify(token)
    assert identity_provider.fetch_count == 1


CLAIMS: list[dict[str, Any]] = [
    {"iss": "https://evil.example"},
    {"iss": None},
    {"aud": "another"},
    {"aud": None},
    {"exp": 1},
    {"exp": None},
    {"nbf": 32_503_680_000},  # the year 3000
    {"sub": None},
    {"sub": ""},
    {"sub": "x" * 201},
    {"sub": "a\nb"},
    {"sub": PORTAL_NAME},
    {"sub": PORTAL_OWNER},
    {"groups": "staff"},
]


def test_jwt_with_invalid_claims_is_rejected(
    tokens: JwtTokens, identity_provider: IdentityProvider
):
    assert is_valid(tokens, identity_provider.sign("one"))
    assert [c for c in CLAIMS if is_valid(tokens, identity_provider.sign("one", **c))] == []


def test_jwt_expiry_tolerates_clock_differences_under_a_minute(
    tokens: JwtTokens, identity_provider: IdentityProvider
):
    assert tokens.verify(identity_provider.sign("one", exp=time.time() - 20)).sub == "alice"
    with pytest.raises(InvalidToken):
        tokens.verify(identity_provider.sign("one", exp=time.time() - 61))
