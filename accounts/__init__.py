"""Accounts of people who sign in: names, passwords, one-time links and active sign-ins.

`Accounts` is the interface to the rest of the portal. Visitors have no account.
"""

from accounts.accounts import (
    Accounts,
    AttemptsExceeded,
    InvalidLink,
    Rejected,
    VerificationBusy,
    WrongCredentials,
)
from accounts.key_issuer import KeyIssuer
from accounts.passwords import (
    MAX_PASSWORD_CHARACTERS,
    MIN_PASSWORD_CHARACTERS,
    UnsuitablePassword,
)
from accounts.people import (
    PROXY_ISSUER,
    NameTaken,
    NewPerson,
    People,
    Person,
    PersonNotFound,
    UnsuitableName,
    is_proxy_name,
    subject_of,
)
from accounts.schema import TABLES
from accounts.sign_ins import SignIn

__all__ = [
    "MAX_PASSWORD_CHARACTERS",
    "MIN_PASSWORD_CHARACTERS",
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
    "Rejected",
    "SignIn",
    "UnsuitableName",
    "UnsuitablePassword",
    "VerificationBusy",
    "WrongCredentials",
    "is_proxy_name",
    "subject_of",
]
