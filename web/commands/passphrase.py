"""Encryption with a passphrase."""

from __future__ import annotations

import base64
import os

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

SALT_BYTES = 16
# 128 MB of memory and half a second for each attempt, as OWASP recommends.
SCRYPT_COST, SCRYPT_BLOCK_SIZE = 2**17, 8


class WrongPassphrase(Exception):
    """Raised when data cannot be decrypted with a passphrase."""


def encrypt(data: bytes, passphrase: bytes) -> bytes:
    """Return the data, encrypted and authenticated."""
    salt = os.urandom(SALT_BYTES)
    return salt + _cipher(passphrase, salt).encrypt(data)


def decrypt(data: bytes, passphrase: bytes) -> bytes:
    """Return the data that `encrypt` has encrypted. Raises WrongPassphrase."""
    try:
        return _cipher(passphrase, data[:SALT_BYTES]).decrypt(data[SALT_BYTES:])
    except InvalidToken:
        raise WrongPassphrase from None


def _cipher(passphrase: bytes, salt: bytes) -> Fernet:
    scrypt = Scrypt(salt, length=32, n=SCRYPT_COST, r=SCRYPT_BLOCK_SIZE, p=1)
    return Fernet(base64.urlsafe_b64encode(scrypt.derive(passphrase)))
