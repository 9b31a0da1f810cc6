"""Forms with a password: whether the portal has them, and why they are refused."""

from __future__ import annotations

import math
from collections.abc import Callable

from flask import abort

from twindow.accounts import AttemptsExceeded, VerificationBusy
from twindow.core.languages import N_
from twindow.web.container import portal
from twindow.web.person import sign_in_log

UNSUITABLE_PASSWORD = N_("Choose a password of at least %(limit)s characters that isn't your name.")
ATTEMPTS_EXCEEDED = N_("There were too many attempts to sign in with this name.")
ATTEMPTS_OF_NETWORK_EXCEEDED = N_("There were too many attempts to sign in from your network.")
BUSY = N_("Many people are signing in right now.")


def require_passwords() -> None:
    """Abort with 404 if people have no passwords at this portal."""
    if not portal().settings.sign_in.has_passwords:
        abort(404)


def refuse_attempt(
    error: AttemptsExceeded, render: Callable[[str, float], str]
) -> tuple[str, int, dict[str, str]]:
    """Log an attempt beyond the limits, and return its response.

    `render` returns the page for a reason and the time when to try again, in seconds since 1970.
    """
    sign_in_log.record_refusal(sign_in_log.TOO_MANY_ATTEMPTS)
    page = render(_reason_of(error), portal().clock.time() + error.wait_seconds)
    return page, 429, {"Retry-After": str(math.ceil(error.wait_seconds))}


def _reason_of(error: AttemptsExceeded) -> str:
    if isinstance(error, VerificationBusy):
        return BUSY
    return ATTEMPTS_OF_NETWORK_EXCEEDED if error.is_for_address else ATTEMPTS_EXCEEDED
