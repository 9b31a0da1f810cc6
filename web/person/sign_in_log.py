"""Attempts to sign in: counted, and refused ones logged with the address of the browser.

Names are not logged for refused attempts: people type their password into this field by mistake.
"""

from __future__ import annotations

import logging

from web.container import portal
from web.person.client_address import client_address

logger = logging.getLogger("twindow.audit")

WRONG_CREDENTIALS = "the name or the password is wrong"
WRONG_PASSWORD = "the password is wrong"  # noqa: S105
KEY_REJECTED = "the service does not accept the API key"
TOO_MANY_ATTEMPTS = "there were too many attempts"


def record_sign_in() -> None:
    """Count a sign-in."""
    portal().metrics.count("sign_ins", "accepted")


def record_refusal(reason: str) -> None:
    """Count and log an attempt to sign in that is refused."""
    portal().metrics.count("sign_ins", "delayed" if reason == TOO_MANY_ATTEMPTS else "refused")
    logger.warning("A sign-in from %s is refused: %s.", client_address(), reason)
