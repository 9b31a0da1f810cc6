"""Schemathesis hooks for rules that schemathesis cannot know.

The OpenAPI document declares a stream as text, for generated clients, but schemathesis should check
the events. The service rejects a used idempotency key in another request, and two different API
keys in one request.
"""

from __future__ import annotations

import os
import re
import uuid
from typing import Any

import schemathesis

from twindow.service.api.requests import IDEMPOTENCY_KEY_PATTERN

IDEMPOTENCY_HEADER = "Idempotency-Key"


@schemathesis.hook
def before_load_schema(_context: Any, raw_schema: dict[str, Any]) -> None:
    """Describe one event of each stream instead of the whole stream."""
    for methods in raw_schema["paths"].values():
        for operation in methods.values():
            for response in operation["responses"].values():
                for media_type in response.get("content", {}).values():
                    if event := media_type["schema"].get("contentSchema"):
                        media_type["schema"] = {
                            "type": "object",
                            "properties": {
                                "data": {
                                    "type": "string",
                                    "contentMediaType": "application/json",
                                    "contentSchema": event,
                                }
                            },
                            "required": ["data"],
                        }


@schemathesis.hook
def before_call(_context: Any, case: Any, _arguments: Any) -> None:
    """Replace valid idempotency keys by new ones, and remove random API keys."""
    if case.headers and case.headers.get("X-API-Key") != os.environ["KEY"]:
        case.headers.pop("X-API-Key", None)
    if case.headers and re.fullmatch(
        IDEMPOTENCY_KEY_PATTERN, str(case.headers.get(IDEMPOTENCY_HEADER, ""))
    ):
        case.headers[IDEMPOTENCY_HEADER] = str(uuid.uuid4())
