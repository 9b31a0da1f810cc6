"""Streaming of running replies to browsers."""

from web.streaming import htmx_frames, noscript_page
from web.streaming.gzip_stream import stream_frames
from web.streaming.live_rendering import append_batch, render_running

__all__ = [
    "append_batch",
    "htmx_frames",
    "noscript_page",
    "render_running",
    "stream_frames",
]
