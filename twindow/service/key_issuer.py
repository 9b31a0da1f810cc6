"""API key management for people who are signed in to the portal."""

from __future__ import annotations

from collections.abc import Sequence

from twindow.service.conversations import Conversations
from twindow.service.credentials import ApiKeys, JwtTokens, SigningDisabled

# The lifetime is short, because the portal uses each token at once.
TOKEN_SECONDS = 60


class KeyIssuer:
    """Signs tokens with which people manage their API keys, and updates or deletes the keys."""

    def __init__(
        self, jwt_tokens: JwtTokens, api_keys: ApiKeys, conversations: Conversations
    ) -> None:
        self._jwt_tokens = jwt_tokens
        self._api_keys = api_keys
        self._conversations = conversations

    def sign(self, sub: str, groups: Sequence[str]) -> str:
        """Return a JWT with which a person manages their keys; "" if a provider signs the JWTs."""
        try:
            return self._jwt_tokens.sign(sub, TOKEN_SECONDS, groups)
        except SigningDisabled:
            return ""

    def set_groups(self, sub: str, groups: Sequence[str]) -> None:
        """Replace the groups of all keys of a person."""
        self._api_keys.set_groups(sub, groups)

    def revoke_all(self, sub: str) -> None:
        """Revoke all keys of a person."""
        self._api_keys.revoke_all(sub)

    def erase(self, sub: str) -> None:
        """Delete all keys and conversations of a person."""
        self._api_keys.delete_all(sub)
        self._conversations.delete_all(sub)
