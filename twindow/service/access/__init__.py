"""Authentication and rate limits: API keys, JWTs, requests per hour."""

from twindow.service.access.api_keys import ApiKey, ApiKeys, TooManyKeys
from twindow.service.access.jwks import SigningKeysUnavailable
from twindow.service.access.jwt_tokens import (
    DEFAULT_LIFETIME_SECONDS,
    Identity,
    InvalidToken,
    JwtTokens,
    ReservedName,
    SigningDisabled,
)
from twindow.service.access.rate_limit import (
    count_request,
    has_rate_limit,
    read_rate_limit,
)

__all__ = [
    "DEFAULT_LIFETIME_SECONDS",
    "ApiKey",
    "ApiKeys",
    "Identity",
    "InvalidToken",
    "JwtTokens",
    "ReservedName",
    "SigningDisabled",
    "SigningKeysUnavailable",
    "TooManyKeys",
    "count_request",
    "has_rate_limit",
    "read_rate_limit",
]
