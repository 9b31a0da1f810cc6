"""JWTs of an identity provider: its keys are fetched, kept and rotated; tricks get nowhere."""

from __future__ import annotations

import hmac
import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

import config
from service import jwks
from service.jwks import KeysUnavailable
from service.tokens import InvalidToken, NotOurs, Tokens
from tests import upstream as scripted
from tests.upstream import Call, Upstream

ISSUER = "https://id.example"
MAKE = {
    "RS256": lambda: rsa.generate_private_key(public_exponent=65537, key_size=2048),
    "ES256": lambda: ec.generate_private_key(ec.SECP256R1()),
    "EdDSA": ed25519.Ed25519PrivateKey.generate,
}


class Provider:
    """An identity provider on a real socket."""

    def __init__(self, upstream: Upstream) -> None:
        self.upstream = upstream
        self.url = f"{upstream.url}/jwks"
        self.keys: dict[str, tuple[str, Any]] = {}
        self.answer: Any = None
        upstream.answers["/jwks"] = self._tell

    def add(self, kid: str, algorithm: str = "RS256") -> None:
        """Make a key."""
        self.keys[kid] = algorithm, MAKE[algorithm]()

    def sign(self, kid: str, *, header: dict[str, Any] | None = None, **claims: Any) -> str:
        """Sign a JWT, good but for what is said; a claim of None is left out."""
        algorithm, key = self.keys[kid]
        held = {"sub": "alice", "aud": "twindow", "iss": ISSUER, "exp": time.time() + 60}
        held = {name: value for name, value in (held | claims).items() if value is not None}
        return jwt.encode(held, key, algorithm, headers={"kid": kid} | (header or {}))

    @property
    def fetched(self) -> int:
        """Return how often its keys were asked for."""
        return len(self.upstream.calls)

    def _tell(self, call: Call) -> None:
        if self.answer is not None:
            call.answer(*self.answer)
        else:
            call.answer(200, {"keys": [self.public(kid) for kid in self.keys]})

    def public(self, kid: str) -> dict[str, Any]:
        """Return a key as the world sees it."""
        algorithm, key = self.keys[kid]
        kind = jwt.get_algorithm_by_name(algorithm)
        told: dict[str, Any] = json.loads(kind.to_jwk(key.public_key()))
        return told | {"kid": kid, "alg": algorithm, "use": "sig"}


@pytest.fixture
def provider() -> Iterator[Provider]:
    with scripted.running() as upstream:
        provider = Provider(upstream)
        provider.add("one")
        yield provider


@pytest.fixture
def tokens(provider: Provider, tmp_path: Path) -> Tokens:
    return Tokens(
        config.load({"data_dir": tmp_path, "jwt_jwks_url": provider.url, "jwt_issuer": ISSUER})
    )


@pytest.mark.spec("S72")
@pytest.mark.parametrize("algorithm", MAKE)
def test_a_jwt_of_the_provider_names_its_bearer(tokens: Tokens, provider: Provider, algorithm: str):
    provider.add("two", algorithm)

    bearer = tokens.read(provider.sign("two", groups=["staff", "tutors"]))

    assert (bearer.sub, bearer.groups) == ("alice", {"staff", "tutors"})


def test_its_keys_are_fetched_once(tokens: Tokens, provider: Provider):
    for _ in range(5):
        tokens.read(provider.sign("one"))

    assert provider.fetched == 1


def test_a_new_key_is_fetched_when_it_is_seen_but_not_too_often(
    tokens: Tokens, provider: Provider, monkeypatch: pytest.MonkeyPatch
):
    tokens.read(provider.sign("one"))
    provider.add("two")
    with pytest.raises(InvalidToken):
        tokens.read(provider.sign("two"))
    assert provider.fetched == 1

    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + jwks.COOLDOWN_SECONDS + 1)

    assert tokens.read(provider.sign("two")).sub == "alice"
    assert provider.fetched == 2


def test_a_withdrawn_key_is_refused_after_a_while(
    tokens: Tokens, provider: Provider, monkeypatch: pytest.MonkeyPatch
):
    old = provider.sign("one")
    tokens.read(old)
    provider.keys.clear()
    provider.add("two")
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + jwks.FRESH_SECONDS + 1)

    with pytest.raises(InvalidToken):
        tokens.read(old)


BAD_ANSWERS = [
    (500, {}),
    (200, []),
    (200, {"keys": []}),
    (200, b"not JSON"),
    (200, b" " * (jwks.MAX_BYTES + 1)),
    (302, {}),
]


@pytest.mark.parametrize("answer", BAD_ANSWERS, ids=lambda a: f"{a[0]} {a[1]!s:.12}")
def test_a_provider_that_fails_is_believed_for_an_hour_and_asked_rarely(
    tokens: Tokens, provider: Provider, monkeypatch: pytest.MonkeyPatch, answer: Any
):
    tokens.read(provider.sign("one"))
    provider.answer = answer
    begun = time.monotonic()
    now = begun + jwks.FRESH_SECONDS + 1
    monkeypatch.setattr(time, "monotonic", lambda: now)

    for _ in range(3):
        assert tokens.read(provider.sign("one")).sub == "alice"
    assert provider.fetched == 2

    now = begun + jwks.STALE_SECONDS + jwks.FRESH_SECONDS + 1
    for _ in range(3):
        with pytest.raises(KeysUnavailable):
            tokens.read(provider.sign("one"))
    assert provider.fetched == 3


def test_the_public_key_is_no_secret_to_sign_with(tokens: Tokens, provider: Provider):
    """HS256 with the public key as its secret: the confusion that many libraries fell for."""
    public = provider.keys["one"][1].public_key()
    pem = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    _, claims, _ = provider.sign("one").split(".")
    head = encoded(json.dumps({"alg": "HS256", "typ": "JWT", "kid": "one"}).encode())
    for secret in (pem, pem.strip(), json.dumps(provider.public("one")).encode()):
        signature = hmac.digest(secret, f"{head}.{claims}".encode(), "sha256")
        with pytest.raises(InvalidToken):
            tokens.read(f"{head}.{claims}.{encoded(signature)}")


def encoded(data: bytes) -> str:
    return jwt.utils.base64url_encode(data).decode()


def test_our_own_secret_signs_nothing_where_a_provider_does(
    tokens: Tokens, tmp_path: Path, provider: Provider
):
    own = Tokens(config.load({"data_dir": tmp_path, "jwt_issuer": ISSUER}))

    with pytest.raises(InvalidToken):
        tokens.read(own.sign("alice"))
    with pytest.raises(NotOurs):
        tokens.sign("alice")
    with pytest.raises(InvalidToken):
        own.read(provider.sign("one"))


@pytest.mark.parametrize(
    "header",
    [
        {"kid": "../../dev/null"},
        {"kid": "' OR 1=1 --"},
        {"kid": ""},
        {"kid": None},
        {"kid": 3},
        {"alg": "none"},
        {"alg": "HS256"},
        {"alg": "ES256"},
    ],
    ids=str,
)
def test_tricks_in_the_header_get_nowhere(
    tokens: Tokens, provider: Provider, header: dict[str, Any]
):
    head, claims, signature = provider.sign("one").split(".")
    held = json.loads(jwt.utils.base64url_decode(head)) | header
    forged = encoded(json.dumps(held).encode())

    with pytest.raises(InvalidToken):
        tokens.read(f"{forged}.{claims}.{signature}")


def test_a_header_that_names_a_key_of_its_own_is_not_believed(tokens: Tokens, provider: Provider):
    provider.add("evil")
    own_key = {"jwk": provider.public("evil"), "jku": "http://evil.example", "kid": "one"}
    token = provider.sign("evil", header=own_key)
    del provider.keys["evil"]

    with pytest.raises(InvalidToken):
        tokens.read(token)
    assert provider.fetched == 1


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "https://evil.example"},
        {"iss": None},
        {"aud": "another"},
        {"aud": None},
        {"exp": 1},
        {"exp": None},
        {"nbf": time.time() + 3600},
        {"sub": None},
        {"sub": "a\nb"},
    ],
    ids=str,
)
def test_claims_that_are_wrong_prove_nothing(
    tokens: Tokens, provider: Provider, claims: dict[str, Any]
):
    with pytest.raises(InvalidToken):
        tokens.read(provider.sign("one", **claims))


def test_clocks_may_differ_by_less_than_a_minute(tokens: Tokens, provider: Provider):
    assert tokens.read(provider.sign("one", exp=time.time() - 20)).sub == "alice"
    with pytest.raises(InvalidToken):
        tokens.read(provider.sign("one", exp=time.time() - 61))


def test_a_slow_provider_holds_up_nobody_whose_key_is_known(
    tokens: Tokens, provider: Provider, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(jwks, "TIMEOUT_SECONDS", 0.5)
    good = provider.sign("one")
    tokens.read(good)
    tokens._provider.cooldown_duration = 0
    provider.add("two")
    begun = threading.Event()

    def drip(call: Call) -> None:
        call.head()
        begun.set()
        call.beat_until_hangup(b" ")

    provider.upstream.answers["/jwks"] = drip
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(tokens.read, provider.sign("two"))
        assert begun.wait(10)
        assert tokens.read(good).sub == "alice"
        assert not waiting.done()
        with pytest.raises(InvalidToken):
            waiting.result(10)
