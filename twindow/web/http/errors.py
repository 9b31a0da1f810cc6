"""Error handlers: an error page, or a notice for an htmx request."""

from __future__ import annotations

import logging
import math
from dataclasses import replace
from typing import Any

import htmx_flask
from flask import Flask, Response, abort, make_response, render_template, request
from werkzeug.exceptions import HTTPException

from twindow import twinapi
from twindow.chat.conversations import ConversationNotFound, RecentlyDeleted
from twindow.core.db.errors import DatabaseUnavailable
from twindow.core.outbound.retry_after import DEFAULT_RETRY_SECONDS
from twindow.core.server.logs import printable_path
from twindow.web.container import portal
from twindow.web.http.error_pages import (
    CONVERSATION_NOT_FOUND,
    DELETED,
    FOREIGN_FORM,
    NO_COOKIES,
    SERVICE_DOWN,
    ErrorPage,
    page_for_status,
)
from twindow.web.http.htmx import render_notice, wants_fragment
from twindow.web.http.same_origin import ForeignForm
from twindow.web.http.security_headers import request_id
from twindow.web.i18n import service_message, translate
from twindow.web.session.browser_id import CookiesRefused

logger = logging.getLogger(__name__)


class FormLimitReached(Exception):
    """Raised for a form that may be sent again after `wait_seconds`."""

    def __init__(self, sentence: str, wait_seconds: float) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.wait_seconds = wait_seconds


def init_app(app: Flask) -> None:
    """Register the error handlers. They respond in the person's language."""
    app.before_request(_reject_nul)
    app.register_error_handler(twinapi.TwinApiError, _handle_api_error)
    app.register_error_handler(
        FormLimitReached, lambda error: _too_many_response(error.sentence, error.wait_seconds)
    )
    app.register_error_handler(ForeignForm, lambda _: _error_response(FOREIGN_FORM, 403))
    app.register_error_handler(
        CookiesRefused, lambda _: _error_response(NO_COOKIES, 400, offers_window=True)
    )
    app.register_error_handler(
        RecentlyDeleted,
        lambda error: _error_response(DELETED, 404, deleted_conversation=error.conversation),
    )
    app.register_error_handler(
        ConversationNotFound, lambda _: _error_response(CONVERSATION_NOT_FOUND, 404)
    )
    app.register_error_handler(
        DatabaseUnavailable, lambda _: _error_response(page_for_status(503), 503)
    )
    app.register_error_handler(HTTPException, _handle_http_exception)
    app.register_error_handler(Exception, _handle_unexpected_error)


def _reject_nul() -> None:
    """Abort with 404 if the URL contains a NUL, which PostgreSQL cannot store or compare."""
    if "\0" in request.path or any("\0" in value for value in request.args.values()):
        abort(404)


def _error_response(
    error_page: ErrorPage, status: int, *, exception: Exception | None = None, **values: Any
) -> Response:
    """Return an error page with the submitted message, or a notice for an htmx request.

    Statuses from 500 on are logged. `values` are for the template: `retry_at` is the time of the
    next try (seconds since the epoch), `deleted_conversation` is a conversation that can be
    restored. With `offers_window`, a link opens the portal outside of a frame.
    """
    if status >= 500:
        log_values = (request_id(), status, request.method, _path_without_token())
        log = logger.error if exception else logger.warning
        log("request %s: %d %s %s", *log_values, exc_info=exception)
    response: Response
    if request.blueprint == "events":
        # Keep the reply on the page: the browser reconnects the stream.
        response = htmx_flask.make_response(translate(error_page.sentence), status, reswap="none")
    elif wants_fragment():
        response = render_notice(error_page.sentence, status, **values)
    else:
        values |= {
            "status": status,
            "error_page": error_page,
            "submitted_content": _submitted_content(),
        }
        response = make_response(render_template("errors/page.html", **values), status)
    return response


def _path_without_token() -> str:
    """Return the path of the request for the log, without the secret of a one-time link."""
    token = (request.view_args or {}).get("token")
    return printable_path(request.path.replace(token, "…") if token else request.path)


def _submitted_content() -> str:
    """Return the submitted message, or "" if there is none or the form is too large to read."""
    try:
        return request.form.get("content", "")
    except HTTPException:
        return ""


def _handle_api_error(error: twinapi.TwinApiError) -> Response:
    if isinstance(error, twinapi.NotFound):
        return _error_response(page_for_status(404), 404)
    if isinstance(error, twinapi.RateLimited):
        wait_seconds = DEFAULT_RETRY_SECONDS if error.retry_after is None else error.retry_after
        return _too_many_response(service_message(error.code, error.params), wait_seconds)
    return _error_response(
        replace(SERVICE_DOWN, sentence=service_message(error.code, error.params)), 503
    )


def _too_many_response(sentence: str, wait_seconds: float) -> Response:
    error_page = replace(page_for_status(429), sentence=sentence)
    response = _error_response(error_page, 429, retry_at=portal().clock.time() + wait_seconds)
    response.headers["Retry-After"] = str(math.ceil(wait_seconds))
    return response


def _handle_http_exception(error: HTTPException) -> Response:
    status = error.code or 500
    if error.response is not None or status < 400:
        return error.get_response()  # type: ignore[return-value]
    return _error_response(page_for_status(status), status)


def _handle_unexpected_error(error: Exception) -> Response:
    return _error_response(page_for_status(500), 500, exception=error)
