"""Sign-ins and API keys in the audit log, with the address of the browser; sign-ins are counted.

Names are not logged for refused attempts: people type their password into this field by mistake.
"""

from __future__ import annotations

from twindow.accounts import Person
from twindow.core.server.logs import audit_logger, request_logger
from twindow.web.container import portal
from twindow.web.person.client_address import client_address

MAX_REASON_CHARACTERS = 300
TOO_MANY_ATTEMPTS = "there were too many attempts"


def record_sign_in(person_id: str, method: str) -> None:
    """Count and log a sign-in; `method` is such as "with a password"."""
    portal().metrics.count("sign_ins", "accepted")
    log_action(portal().accounts.people.find_active(person_id), f"has signed in {method}")


def record_refusal(reason: str) -> None:
    """Count and log an attempt to sign in that is refused."""
    portal().metrics.count("sign_ins", "delayed" if reason == TOO_MANY_ATTEMPTS else "refused")
    audit_logger.warning("A sign-in from %s is refused: %s.", client_address(), _one_line(reason))


def record_logout(count: int) -> None:
    """Log that the provider has ended sign-ins."""
    audit_logger.info("The provider has ended %s sign-ins, from %s.", count, client_address())


def record_stray(what: str, reason: str) -> None:
    """Log a request that pretends to come from the provider, or by way of it."""
    request_logger.warning("%s from %s is refused: %s.", what, client_address(), _one_line(reason))


def _one_line(reason: str) -> str:
    # It may quote a provider, or somebody who pretends to be one.
    return "".join(c if c.isprintable() else " " for c in reason[:MAX_REASON_CHARACTERS])


def log_action(person: Person | None, action: str) -> None:
    """Log what a person has done; without a person, it is somebody with a JWT."""
    name = f"“{person.listed_name}”" if person else "Somebody"
    audit_logger.info("%s %s, from %s.", name, action, client_address())
