"""HTTP concerns of all requests: htmx, errors, headers, sessions and URL converters."""

from web.http import (
    browser_id,
    errors,
    htmx,
    page_compression,
    same_origin,
    security_headers,
    session_store,
    url_converters,
)
from web.http.browser_id import (
    cookie_name,
    replace_browser_id,
    require_browser_id,
    set_browser_cookie,
    was_used_by,
)
from web.http.error_pages import page_for_status
from web.http.exemptions import needs_sign_in, session_not_required, sign_in_not_required
from web.http.htmx import redirect_page, render_fragment, render_notice, wants_fragment
from web.http.security_headers import add_file_headers
from web.http.session_store import claim_idempotency_key

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
