"""Errors of the list of twins: their codes, and advice for the operator."""

from __future__ import annotations

from core.settings import ENV_PREFIX, Settings
from twinapi import ApiError, Forbidden, NotFound, TwinApiError, Unauthorized, UnexpectedResponse

OWN_KEY_REJECTED = "own_key_rejected"
EMBEDDED_ADVICE = f"Check that the portal is running, and {ENV_PREFIX}_HOST and {ENV_PREFIX}_PORT."
SETTING_BY_CODE = {
    "tls_failed": "API_CA_FILE",
    **dict.fromkeys(
        (
            *("not_connected", "response_timeout", "connection_closed", "connection_lost"),
            *("service_not_found", "list_unreadable"),
        ),
        "API_URL",
    ),
}


def list_error_code(error: TwinApiError) -> str:
    """Return the code of the message about a failed request for the list."""
    if isinstance(error, UnexpectedResponse):
        return "list_unreadable"
    return "service_not_found" if isinstance(error, NotFound) else error.code


def personal_error_code(error: TwinApiError) -> str:
    """Return the code of the message about a failed request with a person's credential."""
    return OWN_KEY_REJECTED if isinstance(error, Unauthorized) else list_error_code(error)


def advise_operator(error: TwinApiError, settings: Settings) -> str:
    """Return the status of a failed request for the list, and the setting to check, as sentences.

    Returns "" if the status and the setting are unknown.
    """
    sentences = [f"Status {error.status}."] if isinstance(error, ApiError) else []
    setting = SETTING_BY_CODE.get(list_error_code(error), "")
    if isinstance(error, Unauthorized | Forbidden):
        setting = "API_KEY"
    if setting:
        is_embedded = settings.is_embedded
        sentences.append(EMBEDDED_ADVICE if is_embedded else f"Check {ENV_PREFIX}_{setting}.")
    return " ".join(sentences)
