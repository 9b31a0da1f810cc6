"""Streaming of running replies to browsers."""

from web.streaming import htmx_frames, noscript_page
from web.streaming.gzip_stream import stream_frames

__all__ = [
    "htmx_frames",
    "noscript_page",
    "stream_frames",
]
