"""Hashes that only this installation can compute, because they depend on its secret key."""

from __future__ import annotations

import hashlib
import hmac
import json


def keyed_hash(secret_key: str, *parts: str) -> str:
    """Return the HMAC of the parts as 64 hexadecimal digits. The first part names the purpose."""
    # JSON separates the parts unambiguously, and encodes any text.
    return hmac.new(secret_key.encode(), json.dumps(parts).encode(), hashlib.sha256).hexdigest()
