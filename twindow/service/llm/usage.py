"""Token counts that the model server reports for a reply."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import msgspec

MAX_TOKENS = 2**31 - 1  # larger integers do not fit into the databases
MAX_NAME_LENGTH = 200

TokenCount = Annotated[int, msgspec.Meta(ge=0, le=MAX_TOKENS)]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of the prompt and of the reply, and the model that wrote it."""

    input_tokens: int
    output_tokens: int
    model: str


class _UsageObject(msgspec.Struct):
    prompt_tokens: TokenCount
    completion_tokens: TokenCount


def parse_usage(data: object, model: object, requested_model: str) -> Usage | None:
    """Return the usage in a chunk of a stream, or None if it is missing or invalid."""
    try:
        usage = msgspec.convert(data, _UsageObject)
    except msgspec.ValidationError:
        return None
    is_name = isinstance(model, str) and model.isprintable() and 1 <= len(model) <= MAX_NAME_LENGTH
    name = str(model) if is_name else requested_model
    return Usage(usage.prompt_tokens, usage.completion_tokens, name)
