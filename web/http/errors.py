"""Errors → a page, or a sentence beside what the person has before them."""

from __future__ import annotations

import logging
import math
from dataclasses import replace
from logging import ERROR, WARNING
from typing import Any

from flask import Flask, Response, abort, make_response, render_template, request
from flask_wtf.csrf import CSRFError
from werkzeug.exceptions import HTTPException

import twinapi
from chat.conversations import Gone
from core.database import DatabaseUnavailable
from web.container import Deleted, portal
from web.http.error_pages import DELETED, SERVICE_DOWN, STALE_FORM, State, state
from web.http.htmx import notice, wants_fragment
from web.http.security_headers import request_id
from web.i18n.sentences import translated

logger = logging.getLogger(__name__)

DEFAULT_WAIT = 60.0


def init_app(app: Flask) -> None:
    """Answer every error in a person's language."""
    app.before_request(_refuse_nul)
    app.register_error_handler(twinapi.TwinApiError, _from_service)
    app.register_error_handler(CSRFError, lambda _: answer(STALE_FORM, 400))
    app.register_error_handler(
        Deleted, lambda error: answer(DELETED, 404, deleted=error.conversation)
    )
    app.register_error_handler(Gone, lambda _: answer(state(404), 404))
    app.register_error_handler(DatabaseUnavailable, lambda _: answer(state(503), 503))
    app.register_error_handler(HTTPException, _from_http)
    app.register_error_handler(Exception, _from_bug)


def _refuse_nul() -> None:
    """Answer 404 to an address that holds a NUL: PostgreSQL could not look for it."""
    if "\0" in request.path or any("\0" in value for value in request.args.values()):
        abort(404)


def answer(said: State, status: int, *, bug: Exception | None = None, **values: Any) -> Response:
    """Say it: words that a form brought are given back with it.

    `until` (seconds since the epoch) says how long to wait, `deleted` what can be brought back.
    """
    if status >= 500:
        told = (request_id(), status, request.method, request.path)
        logger.log(ERROR if bug else WARNING, "%s: %d %s %s", *told, exc_info=bug)
    if request.blueprint == "events":
        # An error page must not be swapped into the reply; the page asks for the stream again.
        response = make_response(translated(said.sentence), status, {"HX-Reswap": "none"})
    elif wants_fragment():
        response = notice(said.sentence, status, **values)
    else:
        values |= {"status": status, "state": said, "said": _said()}
        response = make_response(render_template("errors/page.html", **values), status)
    return response


def _said() -> str:
    """Find the words that were to be sent; a form that is too large cannot be read at all."""
    try:
        return request.form.get("content", "")
    except HTTPException:
        return ""


def _from_service(error: twinapi.TwinApiError) -> Response:
    if isinstance(error, twinapi.NotFound):
        return answer(state(404), 404)
    if isinstance(error, twinapi.RateLimited):
        wait = DEFAULT_WAIT if error.retry_after is None else error.retry_after
        told = replace(state(429), sentence=error.sentence)
        response = answer(told, 429, until=portal().clock.time() + wait)
        response.headers["Retry-After"] = str(math.ceil(wait))
        return response
    return answer(replace(SERVICE_DOWN, sentence=error.sentence), 503)


def _from_http(error: HTTPException) -> Response:
    status = error.code or 500
    if error.response is not None or status < 400:
        return error.get_response()  # type: ignore[return-value]
    return answer(state(status), status)


def _from_bug(error: Exception) -> Response:
    return answer(state(500), 500, bug=error)
