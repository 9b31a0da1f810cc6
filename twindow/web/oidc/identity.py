"""Who a person is, and whether they may enter: read from the claims of the provider."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from twindow.accounts import MAX_NAME_CHARACTERS
from twindow.core.languages import N_
from twindow.core.settings import Settings
from twindow.core.twin_groups import MAX_GROUP_CHARACTERS, parse_groups

logger = logging.getLogger(__name__)

MAX_GROUPS = 200
GOOGLE = "https://accounts.google.com"
NOT_ALLOWED = N_("Your account may not use this portal. Please contact your administrator.")
TOO_MANY_GROUPS = N_("Your account is in too many groups. Please contact your administrator.")


class SignInRefused(Exception):
    """Raised for a person who may not enter: with a sentence for them, and a reason for the log."""

    def __init__(self, sentence: str, reason: str) -> None:
        super().__init__(reason)
        self.sentence = sentence
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Identity:
    """A person at the provider. `groups` is None unless a claim for groups is set."""

    subject: str
    name: str
    groups: Sequence[str] | None


def read_identity(claims: Mapping[str, Any], settings: Settings) -> Identity:
    """Return who the claims are about. Raises SignInRefused."""
    groups = _read_groups(claims, settings.oidc_groups_claim)
    allowed_groups = parse_groups(settings.oidc_allowed_groups)
    if allowed_groups and not set(allowed_groups).intersection(groups or ()):
        raise SignInRefused(NOT_ALLOWED, "none of the groups is in TWINDOW_OIDC_ALLOWED_GROUPS")
    _require_domain(claims, settings.oidc_allowed_domains)
    return Identity(claims["sub"], _read_name(claims), groups)


def _read_name(claims: Mapping[str, Any]) -> str:
    """Return the name and the e-mail address, for display only."""
    texts = [
        " ".join(text.split())
        for claim in ("name", "preferred_username", "email", "sub")
        if isinstance(text := claims.get(claim), str) and text.strip() and text.isprintable()
    ]
    email = claims.get("email")
    name = f"{texts[0]} ({email})" if email in texts and email != texts[0] else texts[0]
    return name[:MAX_NAME_CHARACTERS]


def _read_groups(claims: Mapping[str, Any], path: str | None) -> Sequence[str] | None:
    """Return the groups in the claim with this dotted path, without names that cannot be stored.

    Entra ID leaves groups out if there are too many, and says so in `_claim_names` or `hasgroups`.
    """
    if path is None:
        return None
    found: Any = claims
    for name in path.split("."):
        found = found.get(name) if isinstance(found, Mapping) else None
    elsewhere = claims.get("_claim_names")
    is_elsewhere = isinstance(elsewhere, Mapping) and path.partition(".")[0] in elsewhere
    if found is None and (is_elsewhere or claims.get("hasgroups")):
        raise SignInRefused(TOO_MANY_GROUPS, "the provider left the groups out")
    if found is None:
        _warn_about_missing_claim(path, ", ".join(sorted(claims)))
    names = [found] if isinstance(found, str) else found if isinstance(found, list) else []
    if len(names) > MAX_GROUPS:
        raise SignInRefused(TOO_MANY_GROUPS, f"there are more than {MAX_GROUPS} groups")
    # Keycloak puts a slash before each name. Names are stored in a list with commas.
    suitable = (
        name.strip().removeprefix("/")
        for name in names
        if isinstance(name, str) and name.isprintable() and "," not in name
    )
    return sorted({name for name in suitable if 0 < len(name) <= MAX_GROUP_CHARACTERS})


@cache
def _warn_about_missing_claim(path: str, names: str) -> None:
    """Log, once in each process for each list of claims, that somebody has no groups."""
    logger.warning(
        "TWINDOW_OIDC_GROUPS_CLAIM=%s: the provider does not send this claim. It sends: %.300r.",
        path,
        names,
    )


def _require_domain(claims: Mapping[str, Any], allowed: str) -> None:
    domains = {name for part in allowed.split(",") if (name := part.strip().lower())}
    email = claims.get("email")
    is_verified = isinstance(email, str) and claims.get("email_verified") is True
    domain = str(email).rpartition("@")[2] if is_verified else ""
    if claims["iss"] == GOOGLE:  # other Google accounts may have an address of the domain
        domain = str(claims.get("hd", ""))
    if domains and domain.lower() not in domains:
        raise SignInRefused(
            NOT_ALLOWED, "no verified e-mail address is in TWINDOW_OIDC_ALLOWED_DOMAINS"
        )
