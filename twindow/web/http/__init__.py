"""HTTP concerns of all requests: htmx, errors and headers."""

from twindow.web.http import (
    errors,
    htmx,
    page_compression,
    same_origin,
    security_headers,
)
from twindow.web.http.error_pages import page_for_status
from twindow.web.http.htmx import redirect_page, render_fragment, render_notice, wants_fragment
from twindow.web.http.security_headers import add_file_headers

__all__ = [
    "add_file_headers",
    "errors",
    "htmx",
    "page_compression",
    "page_for_status",
    "redirect_page",
    "render_fragment",
    "render_notice",
    "same_origin",
    "security_headers",
    "wants_fragment",
]
