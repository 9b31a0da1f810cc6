"""HTTP responses: bounded reading, and the causes of network errors."""

from __future__ import annotations

import ssl
import time

import requests
import urllib3

from twindow.core.urls import without_credentials

# Reading from `raw` raises errors of urllib3 instead of those of requests: catch both.
NETWORK_ERRORS = (requests.RequestException, urllib3.exceptions.HTTPError, OSError)
CHUNK_BYTES = 64 * 1024
MAX_DESCRIBED_CHARACTERS = 200


def describe_network_error(error: BaseException) -> str:
    """Return the cause of one of NETWORK_ERRORS in a few words, for operators.

    It is what the innermost error says: Requests and urllib3 have theirs in `reason`, in the last
    argument, or as the cause.
    """
    prefix = ""
    inner: object = error
    while isinstance(inner, BaseException):
        cause = inner
        if isinstance(cause, requests.exceptions.ProxyError):
            prefix = "the proxy in TWINDOW_OUTBOUND_PROXY: "
        last = cause.args[-1] if cause.args else None
        candidates = getattr(cause, "reason", None), last, cause.__cause__
        inner = next((each for each in candidates if isinstance(each, BaseException)), None)
    words = getattr(cause, "strerror", "") or str(cause)
    if isinstance(cause, ssl.SSLCertVerificationError):
        words = f"certificate verify failed: {cause.verify_message}"
    return f"{prefix}{words or type(cause).__name__}"


def describe_response(response: requests.Response, body: bytes = b"") -> str:
    """Return status, type, redirect and first words of a response for the log, without its key."""
    words = body.decode("utf-8", "replace")
    for header in ("Authorization", "api-key"):
        key = str(response.request.headers.get(header, "")).removeprefix("Bearer ")
        words = words.replace(key, "[key]") if key else words
    location = without_credentials(response.headers.get("Location", ""))
    facts = (
        f"status {response.status_code}",
        response.headers.get("Content-Type"),
        location and f"redirect to {location}",
        words[:MAX_DESCRIBED_CHARACTERS],
    )
    line = "".join(c if c.isprintable() else " " for c in ", ".join(filter(None, facts)))
    return " ".join(line.split())


class ResponseTooLarge(ValueError):
    """Raised when a response exceeds its size limit."""


def read_bounded(response: requests.Response, max_bytes: int, seconds: float) -> bytes:
    """Read the whole body of a response: at most `max_bytes`, in at most `seconds`.

    Raises ResponseTooLarge, and requests.ReadTimeout or another of NETWORK_ERRORS.
    """
    deadline = time.monotonic() + seconds
    data = bytearray()
    while chunk := response.raw.read1(CHUNK_BYTES, decode_content=True):
        data += chunk
        if len(data) > max_bytes:
            raise ResponseTooLarge(max_bytes)
        if time.monotonic() > deadline:
            raise requests.ReadTimeout
        time.sleep(0)  # let other greenlets run: there may be very many chunks
    return bytes(data)
