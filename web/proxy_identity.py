"""The name of the person, from the header of a proxy in front of the portal."""

from __future__ import annotations

from flask import request

from web.container import portal

MAX_SUBJECT_CHARACTERS = 200


def proxy_subject() -> str | None:
    """Return the name in the proxy's header, or None if there is no acceptable one.

    The header counts only on connections from the listed networks. A comma may come from two
    headers, one of which the browser has sent (RFC 9110, 5.3), so names with commas are refused,
    as are control characters and bytes that are not UTF-8.
    """
    settings = portal().settings
    if not settings.sign_in.has_proxy or not settings.proxy_user_header:
        return None
    if not settings.proxy_networks.lists(request.remote_addr or ""):
        return None
    values = request.headers.getlist(settings.proxy_user_header)
    if len(values) != 1:
        return None
    try:
        # WSGI decodes headers as ISO 8859-1 (PEP 3333).
        subject = values[0].encode("latin-1").decode()
    except UnicodeError:
        return None
    is_plain = subject.isprintable() and subject == subject.strip() and "," not in subject
    return subject if is_plain and 0 < len(subject) <= MAX_SUBJECT_CHARACTERS else None
