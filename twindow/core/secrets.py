"""Secrets: keyed hashes, secrets that are generated once and stored, and other private files."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cryptography.fernet import Fernet


def keyed_hash(secret_key: str, *parts: str) -> str:
    """Return the HMAC of the parts as 64 hexadecimal digits. The first part names the purpose."""
    # JSON separates the parts unambiguously, and encodes any text.
    return hmac.new(secret_key.encode(), json.dumps(parts).encode(), hashlib.sha256).hexdigest()


def new_id(size: int = 16) -> str:
    """Return a random id of `size` bytes that does not look like an option of a command."""
    while not (candidate := secrets.token_urlsafe(size))[0].isalnum():
        pass
    return candidate


def encrypt(secret_key: str, text: str) -> str:
    """Return a text that only `decrypt` with the same key can read."""
    return _cipher(secret_key).encrypt(text.encode()).decode()


def decrypt(secret_key: str, text: str) -> str:
    """Return the text, or "" if it was encrypted with another key."""
    from cryptography.fernet import InvalidToken

    try:
        return _cipher(secret_key).decrypt(text.encode()).decode()
    except InvalidToken:
        return ""


def _cipher(secret_key: str) -> Fernet:
    from cryptography.fernet import Fernet

    return Fernet(base64.urlsafe_b64encode(bytes.fromhex(keyed_hash(secret_key, "encryption"))))


def load_or_create_secret(path: Path, new_secret: str) -> str:
    """Return the secret stored in the file; store `new_secret` first if there is none.

    Servers hold the start-up lock meanwhile, so those that start together read one secret.
    """
    if not path.exists():
        write_private_file(path, new_secret)
    return path.read_text().strip()


def write_private_file(path: Path, text: str) -> None:
    """Write or replace a file at once; from the beginning, only its owner can read it."""
    temporary_path = path.with_name(f"{path.name}.{os.getpid()}")
    temporary_path.unlink(missing_ok=True)
    descriptor = os.open(temporary_path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
    temporary_path.replace(path)
