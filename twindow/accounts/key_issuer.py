"""Interface for the API keys that people have at the embedded service."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class KeyIssuer(Protocol):
    """Interface for the API keys that people have at the embedded service."""

    def sign(self, sub: str, groups: Sequence[str]) -> str:
        """Return a JWT for a person, or "" if an identity provider signs the JWTs."""

    def set_groups(self, sub: str, groups: Sequence[str]) -> None:
        """Replace the groups of all keys of a person."""

    def revoke_all(self, sub: str) -> None:
        """Revoke all keys of a person."""

    def erase(self, sub: str) -> None:
        """Delete all keys and conversations of a person."""
