"""Schemathesis hooks for rules that schemathesis cannot know.

The service rejects a second message with the idempotency key of the first, and a request with two
different credentials.
"""

from __future__ import annotations

import os
import re
import uuid
from typing import Any

import schemathesis

from service.api.requests import IDEMPOTENCY_KEY_PATTERN

IDEMPOTENCY_HEADER = "Idempotency-Key"


@schemathesis.hook
def before_call(_context: Any, case: Any, _arguments: Any) -> None:
    """Replace every valid idempotency key by a new one, and remove a second, random credential."""
    if case.headers and case.headers.get("X-API-Key") != os.environ["KEY"]:
        case.headers.pop("X-API-Key", None)
    if case.headers and re.fullmatch(
        IDEMPOTENCY_KEY_PATTERN, str(case.headers.get(IDEMPOTENCY_HEADER, ""))
    ):
        case.headers[IDEMPOTENCY_HEADER] = str(uuid.uuid4())
