"""Rejection of forms that pages of other sites submit, in addition to CSRF tokens."""

from __future__ import annotations

import re

from flask import Flask, request
from flask_wtf.csrf import CSRFError

_PORT = re.compile(r":\d*$")
SAFE_METHODS = {"GET", "HEAD", "OPTIONS"}


def init_app(app: Flask) -> None:
    """Check the headers of each request that may change something."""
    app.before_request(_reject_foreign_form)


def _reject_foreign_form() -> None:
    """Raise CSRFError if the browser says that another site submits the form.

    Requests without Sec-Fetch-Site and Origin are accepted: old browsers send neither.
    """
    if request.method in SAFE_METHODS:
        return
    # Browsers send Sec-Fetch-Site over HTTPS and to localhost. The value "none" means that the
    # person started the request, not a page.
    if site := request.headers.get("Sec-Fetch-Site"):
        is_foreign = site not in ("same-origin", "none")
    else:
        origin = request.headers.get("Origin")
        is_foreign = origin is not None and not _is_own(origin)
    if is_foreign:
        raise CSRFError("The form belongs to another site.")


def _is_own(origin: str) -> bool:
    """Return whether an origin is this site.

    A proxy may have replaced the Host header, so the origin may also match X-Forwarded-Host, which
    pages of other sites cannot set. Ports are ignored: proxies drop them.
    """
    forwarded_host = request.headers.get("X-Forwarded-Host", "").partition(",")[0].strip()
    own_hosts = {_PORT.sub("", host).lower() for host in (request.host, forwarded_host) if host}
    return _PORT.sub("", origin.partition("://")[2]).lower() in own_hosts
