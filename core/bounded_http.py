"""Answers of other servers, read with bounds: they may be slow, huge, or never end."""

from __future__ import annotations

import time

import requests
import urllib3

NETWORK_ERRORS = (requests.RequestException, urllib3.exceptions.HTTPError, OSError)
CHUNK_BYTES = 64 * 1024


class ResponseTooLarge(ValueError):
    """Raised for an answer that is larger than it may be."""


def read_bounded(response: requests.Response, max_bytes: int, seconds: float) -> bytes:
    """Read a whole answer: at most so many bytes, in so many seconds.

    Raises TooLarge, and requests.ReadTimeout or another of NETWORK_ERRORS.
    """
    deadline = time.monotonic() + seconds
    data = b""
    while chunk := response.raw.read1(CHUNK_BYTES, decode_content=True):
        data += chunk
        if len(data) > max_bytes:
            raise ResponseTooLarge(max_bytes)
        if time.monotonic() > deadline:
            raise requests.ReadTimeout
    return data
