"""Compression of pages. Streams and static files are compressed elsewhere."""

from __future__ import annotations

from contextvars import copy_context

from flask import Flask, Response
from flask_compress import Compress

from twindow.core.threadpool import in_threadpool

# Larger pages are compressed in a thread, so that other requests do not wait.
LARGE_PAGE_BYTES = 200_000


def init_app(app: Flask) -> None:
    """Compress HTML responses."""
    app.config.update(
        COMPRESS_REGISTER=False,
        COMPRESS_MIMETYPES=["text/html"],
        COMPRESS_STREAMS=False,
        COMPRESS_ALGORITHM=["br", "gzip"],
        COMPRESS_BR_LEVEL=6,
        # Most pages fit into this window (64 KiB); a larger one only costs memory.
        COMPRESS_BR_WINDOW=16,
    )
    compress = Compress(app)

    def compress_page(response: Response) -> Response:
        if (response.content_length or 0) < LARGE_PAGE_BYTES:
            return compress.after_request(response)
        return in_threadpool(copy_context().run)(compress.after_request, response)

    app.after_request(compress_page)
