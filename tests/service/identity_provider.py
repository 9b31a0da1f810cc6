"""Identity provider on a real socket, and the JWTs that it signs."""

from __future__ import annotations

import json
import time
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from tests.support.upstream import Call, Upstream

ISSUER = "https://id.example"
KEY_FACTORIES = {
    "RS256": lambda: rsa.generate_private_key(public_exponent=65537, key_size=2048),
    "ES256": lambda: ec.generate_private_key(ec.SECP256R1()),
    "EdDSA": ed25519.Ed25519PrivateKey.generate,
}


class IdentityProvider:
    """Identity provider that serves its JWK Set on a real socket."""

    def __init__(self, upstream: Upstream) -> None:
        self.upstream = upstream
        self.url = f"{upstream.url}/jwks"
        self.keys: dict[str, tuple[str, Any]] = {}
        self.forced_answer: Any = None
        upstream.answers["/jwks"] = self._answer_jwks

    def add_key(self, kid: str, algorithm: str = "RS256") -> None:
        """Create a key pair with this `kid`."""
        self.keys[kid] = algorithm, KEY_FACTORIES[algorithm]()

    def sign(self, kid: str, *, header: dict[str, Any] | None = None, **claims: Any) -> str:
        """Sign a JWT that is valid except for the given claims; omit claims that are None."""
        algorithm, key = self.keys[kid]
        payload = {"sub": "alice", "aud": "twindow", "iss": ISSUER, "exp": time.time() + 60}
        payload = {name: value for name, value in (payload | claims).items() if value is not None}
        return jwt.encode(payload, key, algorithm, headers={"kid": kid} | (header or {}))

    @property
    def fetch_count(self) -> int:
        """Return how many times the JWK Set was requested."""
        return len(self.upstream.calls)

    def _answer_jwks(self, call: Call) -> None:
        if self.forced_answer is not None:
            call.respond(*self.forced_answer)
        else:
            call.respond(200, {"keys": [self.public_jwk(kid) for kid in self.keys]})

    def public_jwk(self, kid: str) -> dict[str, Any]:
        """Return the public part of a key as a JWK."""
        algorithm, key = self.keys[kid]
        key_algorithm = jwt.get_algorithm_by_name(algorithm)
        jwk: dict[str, Any] = json.loads(key_algorithm.to_jwk(key.public_key()))
        return jwk | {"kid": kid, "alg": algorithm, "use": "sig"}
