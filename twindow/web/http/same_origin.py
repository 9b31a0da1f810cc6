"""Rejection of forms that pages of other origins submit."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit

from flask import Flask, request

from twindow.web.container import portal
from twindow.web.session.browser_id import CookiesRefused

SAFE_METHODS = {"GET", "HEAD", "OPTIONS"}
DEFAULT_PORTS = {"http": 80, "https": 443}


class ForeignForm(Exception):
    """Raised when a page of another origin has submitted a form."""


def init_app(app: Flask) -> None:
    """Check each request that may change something."""
    app.before_request(_reject_foreign_form)


def _reject_foreign_form() -> None:
    """Raise ForeignForm unless the browser says that a page of the portal sends the request.

    Browsers send Sec-Fetch-Site over HTTPS and to localhost; "none" means that the person started
    the request, not a page. Otherwise, they send Origin. A request with neither is not from a
    browser. Raises CookiesRefused if a browser has sent no cookies at all: the pages set one.
    """
    if request.method in SAFE_METHODS:
        return
    site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin")
    if site is None and origin is None:
        return
    is_own = site in ("same-origin", "none") if site is not None else _is_own(origin or "")
    if not is_own:
        raise ForeignForm
    if not request.cookies:
        raise CookiesRefused


def _is_own(origin: str) -> bool:
    """Return whether scheme, host and port are those of the portal."""
    own_urls = [f"{request.scheme}://{host}" for host in own_hosts()]
    if public_url := portal().settings.public_url:
        own_urls.append(public_url)
    return (key := _origin_key(origin)) is not None and key in map(_origin_key, own_urls)


def own_hosts() -> list[str]:
    """Return the host of the request, and the one that a trusted proxy reports instead."""
    forwarded_host = request.headers.get("X-Forwarded-Host", "").partition(",")[0].strip()
    is_trusted = portal().settings.trusted_proxies.lists(request.remote_addr or "")
    return [request.host, forwarded_host] if is_trusted and forwarded_host else [request.host]


def _origin_key(url: str) -> tuple[str, str, int | None] | None:
    """Return scheme, host and port of a URL; None if it has no host, like the origin "null"."""
    try:
        parts: SplitResult = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    scheme = parts.scheme.lower()
    return (scheme, host, port or DEFAULT_PORTS.get(scheme)) if host else None
