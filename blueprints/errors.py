"""Errors → a page, or a sentence beside what the person has before them."""

from __future__ import annotations

import logging
import math
import time

from flask import Flask, Response, make_response, render_template, request
from flask_wtf.csrf import CSRFError
from werkzeug.exceptions import HTTPException

import twinapi
from blueprints.fragments import notice, wants_fragment
from blueprints.headers import request_id
from database import DatabaseUnavailable

logger = logging.getLogger(__name__)

SENTENCES = {
    400: "The browser sent something that cannot be understood.",
    403: "This is not allowed.",
    404: "There is nothing here, or it is not yours to see.",
    405: "This address does not take that kind of request.",
    413: "That is too large to be sent.",
    429: "That was a lot at once. Wait a moment, then try again.",
    500: "Something went wrong here. Nothing that was saved is lost.",
    503: "The portal cannot save anything at the moment. Nothing was sent; try again soon.",
}
DEFAULT_WAIT = 60.0
STALE_FORM = (
    "This page was open for so long, or the cookies changed so much, that the form is no longer "
    "valid. Nothing was sent; go back, reload, and send it again."
)


def init_app(app: Flask) -> None:
    """Answer every error in a person's language."""
    app.register_error_handler(twinapi.TwinApiError, _from_service)
    app.register_error_handler(CSRFError, lambda _: answer(STALE_FORM, 400))
    app.register_error_handler(DatabaseUnavailable, lambda _: answer(SENTENCES[503], 503))
    app.register_error_handler(HTTPException, _from_http)
    app.register_error_handler(Exception, _from_bug)


def answer(sentence: str, status: int, until: float | None = None) -> Response:
    """Say it: words that a form brought are given back with it."""
    if request.headers.get("Accept", "").endswith("text/event-stream"):
        # An error page must not be swapped into the reply; the page asks for the stream again.
        response = make_response(sentence, status, {"HX-Reswap": "none"})
    elif wants_fragment():
        response = notice(sentence, status, until=until)
    else:
        page = render_template(
            "errors/page.html", status=status, sentence=sentence, until=until, said=_said()
        )
        response = make_response(page, status)
    return response


def _said() -> str:
    """Find the words that were to be sent; a form that is too large cannot be read at all."""
    try:
        return request.form.get("content", "")
    except HTTPException:
        return ""


def _from_service(error: twinapi.TwinApiError) -> Response:
    if isinstance(error, twinapi.NotFound):
        return answer(SENTENCES[404], 404)
    if isinstance(error, twinapi.RateLimited):
        wait = DEFAULT_WAIT if error.retry_after is None else error.retry_after
        response = answer(error.sentence, 429, until=time.time() + wait)
        response.headers["Retry-After"] = str(math.ceil(wait))
        return response
    return answer(error.sentence, 503)


def _from_http(error: HTTPException) -> Response:
    status = error.code or 500
    if error.response is not None or status < 400:
        return error.get_response()  # type: ignore[return-value]
    return answer(SENTENCES.get(status, SENTENCES[400 if status < 500 else 500]), status)


def _from_bug(error: Exception) -> Response:
    logger.error("%s: %s %s", request_id(), request.method, request.path, exc_info=error)
    return answer(SENTENCES[500], 500)
