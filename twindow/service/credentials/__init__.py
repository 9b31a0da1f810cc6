"""Authentication and rate limits: API keys, JWTs, requests per hour."""

from twindow.core.jwks import SigningKeysUnavailable
from twindow.service.credentials.api_keys import ApiKey, ApiKeys, TooManyKeys
from twindow.service.credentials.jwt_tokens import (
    DEFAULT_LIFETIME_SECONDS,
    Identity,
    InvalidToken,
    JwtTokens,
    ReservedName,
    SigningDisabled,
)
from twindow.service.credentials.rate_limit import (
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
