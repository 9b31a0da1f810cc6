"""Accounts of people: names, passwords, failed attempts, one-time links and active sign-ins.

`Accounts` is the interface to the rest of the portal. Visitors have no account.
"""

from twindow.accounts.accounts import Accounts, InvalidLink, PersonRejected, WrongCredentials
from twindow.accounts.attempts import AttemptsExceeded, VerificationBusy
from twindow.accounts.key_issuer import KeyIssuer
from twindow.accounts.names import (
    MAX_NAME_CHARACTERS,
    OIDC_PREFIX,
    PROXY_ISSUER,
    UnsuitableName,
    is_proxy_name,
    subject_of,
)
from twindow.accounts.passwords import (
    MAX_PASSWORD_CHARACTERS,
    MIN_PASSWORD_CHARACTERS,
    UnsuitablePassword,
)
from twindow.accounts.people import NameTaken, NewPerson, People, Person, PersonNotFound
from twindow.accounts.schema import TABLES
from twindow.accounts.sign_ins import SignIn

__all__ = [
    "MAX_NAME_CHARACTERS",
    "MAX_PASSWORD_CHARACTERS",
    "MIN_PASSWORD_CHARACTERS",
    "OIDC_PREFIX",
    "PROXY_ISSUER",
    "TABLES",
    "Accounts",
    "AttemptsExceeded",
    "InvalidLink",
    "KeyIssuer",
    "NameTaken",
    "NewPerson",
    "People",
    "Person",
    "PersonNotFound",
    "PersonRejected",
    "SignIn",
    "UnsuitableName",
    "UnsuitablePassword",
    "VerificationBusy",
    "WrongCredentials",
    "is_proxy_name",
    "subject_of",
]
