"""Names of people, and of the identities by which they are recognised."""

from __future__ import annotations

import unicodedata

# Issuers of identities. Their subjects are the names of accounts, and those that the proxy reports.
PASSWORD_ISSUER = "password"  # noqa: S105
PROXY_ISSUER = "proxy"
# Operators write oidc:SUBJECT for a person whom a provider of OpenID Connect names; the issuer of
# the identity is its URL.
OIDC_PREFIX = "oidc"
MAX_NAME_CHARACTERS = 100
MAX_CHARACTERS_BEFORE_FOLDING = 400
MAX_PROXY_NAME_CHARACTERS = 200


class UnsuitableName(ValueError):
    """Raised for a name that is blank, too long, or has characters that cannot be displayed."""


def suitable_name(name: str) -> str:
    """Return the name for a new account, without extra spaces. Raises UnsuitableName."""
    name = " ".join(name.split())
    is_suitable = 0 < len(name) <= MAX_NAME_CHARACTERS and name.isprintable()
    if not is_suitable or subject_of(name).startswith((f"{PROXY_ISSUER}:", f"{OIDC_PREFIX}:")):
        raise UnsuitableName
    return name


def is_proxy_name(subject: str) -> bool:
    """Return whether a proxy may report a person by this name.

    A name with a comma may combine two headers (RFC 9110, 5.3).
    """
    is_plain = subject.isprintable() and subject == subject.strip() and "," not in subject
    return is_plain and 0 < len(subject) <= MAX_PROXY_NAME_CHARACTERS


def subject_of(name: str) -> str:
    """Return the form of a name used for comparison, which ignores case, width and extra spaces.

    Returns "" for a name that `suitable_name` would reject.
    """
    # Normalization takes quadratic time for many combining characters.
    name = name[:MAX_CHARACTERS_BEFORE_FOLDING]
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    subject = " ".join(folded.split())[:MAX_NAME_CHARACTERS]
    return subject if subject.isprintable() else ""
