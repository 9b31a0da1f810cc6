"""What schemathesis cannot know: a second message with the key of the first is refused, and so
are two credentials that differ.
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
    """Give each press a key of its own, where the key is one; and no second, random credential."""
    if case.headers and case.headers.get("X-API-Key") != os.environ["KEY"]:
        case.headers.pop("X-API-Key", None)
    if case.headers and re.fullmatch(
        IDEMPOTENCY_KEY_PATTERN, str(case.headers.get(IDEMPOTENCY_HEADER, ""))
    ):
        case.headers[IDEMPOTENCY_HEADER] = str(uuid.uuid4())
