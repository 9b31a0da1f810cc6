"""HTTP requests to the service; network errors become TwinApiError."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from http.cookiejar import DefaultCookiePolicy
from typing import Any
from urllib.parse import urljoin

import requests
import urllib3

from twindow.core.outbound.adapter import open_session
from twindow.core.outbound.outbound import Outbound
from twindow.core.outbound.responses import (
    NETWORK_ERRORS,
    describe_network_error,
    describe_response,
    read_bounded,
)
from twindow.core.outbound.retry_after import parse_retry_after
from twindow.core.urls import origin_of, without_credentials
from twindow.twinapi import errors
from twindow.twinapi.bounded_adapter import AbortHandle, BoundedAdapter
from twindow.twinapi.events import error_text
from twindow.twinapi.watchdog import deadline

MAX_RESPONSE_BYTES = 10 * 1024 * 1024
CONNECT_TIMEOUT_SECONDS = 5.0
SOCKET_TIMEOUT_MARGIN_SECONDS = 5.0
# A service may announce that it needs no pause.
MIN_RETRY_SECONDS = 5.0
# Time limit for the body of an error response, whose status is usually enough.
ERROR_BODY_SECONDS = 5.0


CONNECT_ERRORS = (
    urllib3.exceptions.NewConnectionError,
    urllib3.exceptions.ConnectTimeoutError,
)

_ERROR_BY_STATUS: dict[int, type[errors.ApiError]] = {
    400: errors.InvalidRequest,
    401: errors.Unauthorized,
    403: errors.Forbidden,
    404: errors.NotFound,
    413: errors.InvalidRequest,
    415: errors.InvalidRequest,
    422: errors.InvalidRequest,
}


class Transport:
    """An HTTP session for one service; `on_response` receives each response and the key used.

    `timeout` is the time in seconds until a response must have begun, and then for its body.

    The key is sent only as a Bearer token, and redirects are not followed, so that no other host
    gets the key.
    """

    def __init__(
        self,
        base_url: str,
        *,
        outbound: Outbound,
        timeout: float,
        on_response: Callable[[str, requests.Response], None] = lambda _key, _response: None,
    ) -> None:
        self._on_response = on_response
        self.base_url = base_url.rstrip("/").removesuffix("/api/v1") + "/api/v1"
        self._timeout = timeout
        self._session = open_session(BoundedAdapter(outbound, pool_connections=4, pool_maxsize=64))
        self._session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))

    def send(
        self,
        method: str,
        path: str,
        key: str,
        *,
        accept: str = "application/json",
        body: object = None,
        params: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        head_timeout: float | None = None,
        abort_handle: AbortHandle | None = None,
    ) -> requests.Response:
        """Send a request, and return the response with its body unread.

        `path` is below the base URL, or a URL that the service has announced.
        `head_timeout` is the time until the response must have begun, if it is not the `timeout` of
        the transport. `abort_handle` can abort the request until its response has begun.

        Raises TwinApiError if there is no response, or its status is not 2xx.
        """
        request_headers = {
            **(headers or {}),
            "Authorization": f"Bearer {key}",
            "Accept": accept,
            # Refuse compression, because a compressor may hold back the events of a stream.
            "Accept-Encoding": "identity",
        }
        data = None
        if body is not None:
            request_headers["Content-Type"] = "application/json"
            # Do not escape emoji: escapes are three times as long, and services limit the size.
            data = json.dumps(body, ensure_ascii=False).encode()
        try:
            url = path if path.startswith(("http://", "https://")) else self.base_url + path
            request = self._session.prepare_request(
                requests.Request(method, url, request_headers, data=data, params=params)
            )
            request.head_timeout = head_timeout or self._timeout  # type: ignore[attr-defined]
            request.abort_handle = abort_handle  # type: ignore[attr-defined]
            # The deadlines of the response come first, and raise more precise errors.
            read_timeout = (head_timeout or self._timeout) + SOCKET_TIMEOUT_MARGIN_SECONDS
            response = self._session.send(
                request,
                timeout=(CONNECT_TIMEOUT_SECONDS, read_timeout),
                allow_redirects=False,
                stream=True,
            )
        except NETWORK_ERRORS as error:
            raise _connection_error(error) from None
        self._on_response(key, response)
        if not 200 <= response.status_code < 300:
            with response:
                raise _api_error(response, key)
        return response

    def request_json(self, method: str, path: str, key: str, **options: Any) -> Any:
        """Send a request, and return the JSON of its response; None if the body is empty.

        Raises TwinApiError.
        """
        with self.send(method, path, key, **options) as response:
            return read_json(response, self._timeout)

    def close(self) -> None:
        """Close the idle connections."""
        self._session.close()


def read_json(response: requests.Response, seconds: float) -> Any:
    """Read a body as JSON, limited in size and time; return None if it is empty.

    Raises ConnectionFailed and UnexpectedResponse.
    """
    body = b""
    try:
        with deadline(seconds, lambda: abort(response)):
            body = read_bounded(response, MAX_RESPONSE_BYTES, seconds)
        return json.loads(body) if body.strip() else None
    except NETWORK_ERRORS as error:
        detail = describe_network_error(error)
        raise errors.ConnectionFailed("connection_lost", detail, perhaps_received=True) from error
    except (ValueError, RecursionError):
        detail = describe_response(response, body)
        raise errors.UnexpectedResponse(response.status_code, detail) from None


def announced_url(response: requests.Response, relation: str) -> str | None:
    """Return the URL of a `Link` header (RFC 8288) with this relation; None for other origins."""
    for link in response.links.values():
        with suppress(KeyError, ValueError):
            url = urljoin(response.url, link["url"])
            if link["rel"] == relation and origin_of(url) == origin_of(response.url):
                return url
    return None


def abort(response: requests.Response) -> None:
    """Shut down a response from another thread, so that a blocked reader returns."""
    with suppress(*NETWORK_ERRORS, ValueError, RuntimeError):
        response.raw.shutdown()


def _connection_error(error: Exception) -> errors.TwinApiError:
    """Convert a network error.

    The service may have received the request, unless the connection was never established.
    """
    detail = describe_network_error(error)
    if isinstance(error, requests.exceptions.SSLError):
        return errors.ConnectionFailed("tls_failed", detail)
    if isinstance(error, requests.exceptions.ProxyError):
        return errors.ConnectionFailed("proxy_failed", detail)
    if isinstance(error, requests.exceptions.ReadTimeout):
        return errors.ConnectionFailed("response_timeout", perhaps_received=True)
    reason = getattr(error.args[0] if error.args else None, "reason", error)
    if isinstance(reason, CONNECT_ERRORS):
        return errors.ConnectionFailed("not_connected", detail)
    return errors.ConnectionFailed("connection_closed", detail, perhaps_received=True)


def _api_error(response: requests.Response, key: str) -> errors.TwinApiError:
    status = response.status_code
    with deadline(ERROR_BODY_SECONDS, lambda: abort(response)):
        detail = _error_detail(response, key)
    if status == 407:
        return errors.ConnectionFailed("proxy_failed", "the proxy asks for a name and a password")
    if status == 429 or (status == 503 and "Retry-After" in response.headers):
        return errors.RateLimited(status, detail, retry_after=parse_retry_after(response.headers))
    if status == 409:
        seconds = parse_retry_after(response.headers)
        return errors.Conflict(
            status,
            detail,
            retry_after=None if seconds is None else max(MIN_RETRY_SECONDS, seconds),
            cancel_url=announced_url(response, "cancel"),
        )
    if status >= 500:
        return errors.ServiceFailed(status, detail)
    return _ERROR_BY_STATUS.get(status, errors.UnexpectedResponse)(status, detail)


def _error_detail(response: requests.Response, key: str) -> str:
    """Return the service's own text in an error response; "" for HTML."""
    content_type = response.headers.get("Content-Type", "")
    if response.is_redirect:
        return f"redirect to {without_credentials(response.headers['Location'])}"
    if "html" in content_type:
        return ""
    try:
        body = read_bounded(response, MAX_RESPONSE_BYTES, ERROR_BODY_SECONDS)
        data = json.loads(body) if "json" in content_type else body.decode("utf-8", "replace")
        return error_text(data, key)
    except (*NETWORK_ERRORS, ValueError, RecursionError):
        return ""
