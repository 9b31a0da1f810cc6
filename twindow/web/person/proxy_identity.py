"""The name and the groups of the person, from headers of a proxy in front of the portal."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from functools import cache

import msgspec
from flask import request

from twindow.accounts import is_proxy_name
from twindow.core.twin_groups import parse_groups
from twindow.web.container import portal

logger = logging.getLogger(__name__)

# What Apache, nginx and scripts send if there is no name, in lower case.
PLACEHOLDERS = ("(null)", "-", "null", "none", "undefined")
MAX_GROUPS = 200
# Authentik separates names with bars, Shibboleth with semicolons.
GROUP_SEPARATORS = re.compile(r"[,;|]")


def proxy_subject() -> str | None:
    """Return the name in the proxy's header, or None if there is no acceptable one.

    A name with a comma is refused: it may combine two headers, one of them from the browser
    (RFC 9110, 5.3). Control characters, bytes that are not UTF-8 and `PLACEHOLDERS` are refused,
    too.
    """
    header = portal().settings.proxy_user_header
    subject = _read_header(header) or ""
    if subject.lower() in PLACEHOLDERS:
        _warn_about_placeholder(header, subject)
        return None
    return subject if is_proxy_name(subject) else None


@cache
def _warn_about_placeholder(header: str | None, subject: str) -> None:
    """Log, once in each process, that requests have a placeholder instead of a name."""
    logger.warning("Requests with “%s” in %s are refused: it names nobody.", subject, header)


def proxy_groups() -> Sequence[str] | None:
    """Return the groups in the proxy's header; None if no header is configured.

    The names are separated by commas, semicolons or bars, or are a JSON list. A missing or
    unacceptable header means no groups.
    """
    name = portal().settings.proxy_groups_header
    if not name:
        return None
    text = _read_header(name) or ""
    names = [] if text in PLACEHOLDERS else _split_groups(text)
    if names is None:
        _warn_about_groups(name, "it is no list of names")
        return ()
    try:
        groups = parse_groups(",".join(names))
    except ValueError:
        _warn_about_groups(name, "a name is too long or has unusual characters")
        return ()
    if len(groups) > MAX_GROUPS:
        _warn_about_groups(name, f"it has more than {MAX_GROUPS} groups")
        return ()
    return groups


def _split_groups(text: str) -> Sequence[str] | None:
    """Return the names in a header, without the slash that Keycloak puts before each.

    Returns None for text that begins like a JSON list but is none, and for a name with a comma.
    """
    names = GROUP_SEPARATORS.split(text)
    if text.lstrip().startswith("["):
        try:
            names = msgspec.json.decode(text, type=list[str])
        except msgspec.MsgspecError:
            return None
    if any("," in name for name in names):
        return None
    return [name.strip().removeprefix("/") for name in names]


@cache
def _warn_about_groups(header: str, reason: str) -> None:
    """Log, once in each process for each reason, that people have no groups."""
    logger.warning("People have no groups: %s cannot be read: %s.", header, reason)


def _read_header(name: str | None) -> str | None:
    """Return a header of the proxy, or None if there is not exactly one.

    Headers are ignored unless the connection is from TWINDOW_PROXY_NETWORKS.
    """
    settings = portal().settings
    is_listed = settings.proxy_networks.lists(request.remote_addr or "")
    if not (name and settings.sign_in.has_proxy and is_listed):
        return None
    values = request.headers.getlist(name)
    if len(values) != 1:
        return None
    try:
        # WSGI decodes headers as ISO 8859-1 (PEP 3333).
        return values[0].encode("latin-1").decode()
    except UnicodeError:
        return None
