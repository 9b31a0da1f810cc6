"""The API key that a person has signed in with, in their session.

The key is encrypted with the session id. The database contains only a hash of that id, so neither
the database nor a backup reveals the key.
"""

from __future__ import annotations

import base64
import hashlib
import hmac

from cryptography.fernet import Fernet, InvalidToken
from flask import current_app, session

from web.session_fields import API_KEY_FIELD


def store_key(api_key: str) -> None:
    """Store the key in the session, whose id must not change after that."""
    session[API_KEY_FIELD] = _cipher().encrypt(api_key.encode()).decode()


def read_key() -> str:
    """Return the key, or "" if the person has not signed in with one."""
    encrypted = str(session.get(API_KEY_FIELD, ""))
    try:
        return _cipher().decrypt(encrypted).decode() if encrypted else ""
    except InvalidToken:
        return ""


def _cipher() -> Fernet:
    session_id = str(session.sid)  # type: ignore[attr-defined]
    secret_key = str(current_app.secret_key).encode()
    digest = hmac.digest(secret_key, f"API key of session {session_id}".encode(), hashlib.sha256)
    return Fernet(base64.urlsafe_b64encode(digest))
