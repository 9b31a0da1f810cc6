"""Errors of the list of twins: their codes, and advice for the operator."""

from __future__ import annotations

from twindow.core.settings import ENV_PREFIX, Settings
from twindow.twinapi import (
    ApiError,
    Forbidden,
    NotFound,
    TwinApiError,
    Unauthorized,
    UnexpectedResponse,
)

EMBEDDED_ADVICE = f"Check that the portal is running, and {ENV_PREFIX}_HOST and {ENV_PREFIX}_PORT."
SETTING_BY_CODE = {
    "tls_failed": "CA_FILE",
    "proxy_failed": "OUTBOUND_PROXY",
    **dict.fromkeys(
        (
            "not_connected",
            "response_timeout",
            "connection_closed",
            "connection_lost",
            "service_not_found",
            "list_unreadable",
        ),
        "API_URL",
    ),
}


def list_error_code(error: TwinApiError) -> str:
    """Return the code of the message about a failed request for the list."""
    if isinstance(error, Forbidden):
        return "list_forbidden"
    if isinstance(error, UnexpectedResponse):
        return "list_unreadable"
    return "service_not_found" if isinstance(error, NotFound) else error.code


def describe_cause(error: TwinApiError) -> str:
    """Return the status of an error and the words of the service or network, as a sentence."""
    status = f"Status {error.status}" if isinstance(error, ApiError) else ""
    cause = ": ".join(filter(None, (status, error.detail[:300])))
    return f"{cause.removesuffix('.')}." if cause else ""


def advise_operator(error: TwinApiError, settings: Settings) -> str:
    """Return the status and cause of a failed request for the list, and the setting to check.

    Returns sentences, or "" if nothing is known.
    """
    sentences = [cause] if (cause := describe_cause(error)) else []
    setting = SETTING_BY_CODE.get(list_error_code(error), "")
    if isinstance(error, Unauthorized | Forbidden):
        setting = "API_KEY"
    if setting:
        is_embedded = settings.is_embedded
        sentences.append(EMBEDDED_ADVICE if is_embedded else f"Check {ENV_PREFIX}_{setting}.")
    return " ".join(sentences)
