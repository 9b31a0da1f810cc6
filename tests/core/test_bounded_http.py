"""Bounded reading of HTTP responses."""

from __future__ import annotations

from io import BytesIO

import pytest
import requests
from urllib3 import HTTPResponse

from twindow.core.outbound.responses import CHUNK_BYTES, ResponseTooLarge, read_bounded

LIMIT = 1_000_000


def respond_with(content: BytesIO) -> requests.Response:
    response = requests.Response()
    response.raw = HTTPResponse(content, preload_content=False)
    return response


def test_response_is_read_up_to_its_size_limit():
    content = BytesIO(bytes(10 * LIMIT))
    response = respond_with(content)

    assert len(read_bounded(respond_with(BytesIO(bytes(LIMIT))), LIMIT, 60)) == LIMIT
    with pytest.raises(ResponseTooLarge):
        read_bounded(response, LIMIT, 60)
    assert content.tell() <= LIMIT + CHUNK_BYTES
