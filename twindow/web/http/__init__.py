"""HTTP concerns of all requests: htmx, errors, headers, sessions and URL converters."""

from twindow.web.http import (
    browser_id,
    errors,
    htmx,
    page_compression,
    same_origin,
    security_headers,
    session_store,
    url_converters,
)
from twindow.web.http.browser_id import (
    cookie_name,
    replace_browser_id,
    require_browser_id,
    set_browser_cookie,
    was_used_by,
)
from twindow.web.http.error_pages import page_for_status
from twindow.web.http.exemptions import needs_sign_in, session_not_required, sign_in_not_required
from twindow.web.http.htmx import redirect_page, render_fragment, render_notice, wants_fragment
from twindow.web.http.security_headers import add_file_headers
from twindow.web.http.session_store import claim_idempotency_key

__all__ = [
    "add_file_headers",
    "browser_id",
    "claim_idempotency_key",
    "cookie_name",
    "errors",
    "htmx",
    "needs_sign_in",
    "page_compression",
    "page_for_status",
    "redirect_page",
    "render_fragment",
    "render_notice",
    "replace_browser_id",
    "require_browser_id",
    "same_origin",
    "security_headers",
    "session_not_required",
    "session_store",
    "set_browser_cookie",
    "sign_in_not_required",
    "url_converters",
    "wants_fragment",
    "was_used_by",
]
