"""The key of a press of a button: the same press twice is one turn."""

from __future__ import annotations

import secrets

from flask import session

# Of so many twins the first press is remembered.
MAX_REMEMBERED_TWINS = 20


def new_idempotency_key() -> str:
    """Return a key for one press of one button."""
    return secrets.token_urlsafe(16)


def first_message_key(twin_id: str) -> str:
    """Return the key of the form that begins a conversation with a twin.

    It stays the same until the conversation has been seen: whose first press got no answer goes
    back, finds the words in a form that was loaded anew, and presses again.
    """
    keys = session.get("first_keys", {})
    if twin_id not in keys:
        keys = dict([*keys.items(), (twin_id, new_idempotency_key())][-MAX_REMEMBERED_TWINS:])
        session["first_keys"] = keys
    return str(keys[twin_id])


def forget_first_message_key(twin_id: str) -> None:
    """Make the next press another one: the conversation that came of the last has been seen."""
    keys = session.get("first_keys", {})
    if twin_id in keys:
        session["first_keys"] = {
            other_id: key for other_id, key in keys.items() if other_id != twin_id
        }
