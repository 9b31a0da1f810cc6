"""Bounded reading of HTTP responses, which may be slow, huge or endless."""

from __future__ import annotations

import time

import requests
import urllib3

# Reading from `raw` raises errors of urllib3 instead of those of requests: catch both.
NETWORK_ERRORS = (requests.RequestException, urllib3.exceptions.HTTPError, OSError)
CHUNK_BYTES = 64 * 1024


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
