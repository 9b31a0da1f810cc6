"""The parts of a streamed chat completion, as the model servers send them.

Servers that call themselves OpenAI-compatible put text, reasoning, errors and the reason of the end
in different places. The places are data here, not branches.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

MAX_NESTING = 10
MAX_ERROR_CHARACTERS = 300
TEXT_FIELDS = ("content", "text", "refusal")
REASONING_FIELDS = ("reasoning_content", "reasoning", "thinking")
REASONING_PART_TYPES = {"thinking", "reasoning"}
# OpenRouter repeats the words of the provider in `metadata.raw`.
ERROR_FIELDS = ("metadata", "raw", "message", "error", "detail", "msg", "reason", "choices")
# Some servers repeat a part of the key that they refuse.
_KEY = re.compile(r"\b(?:sk|pk|key|gsk|xai|hf)[-_][\w*.-]{4,}|(?i:bearer\s+\S+)")


# Words about a prompt that does not fit, but not about other limits.
_OVERFLOW = re.compile(
    r"context[ _-]?(?:length|window|size)|maximum context|exceed_context|context.{0,30}exceed"
    r"|(?:prompt|input|message).{0,20}too long|too many (?:input )?tokens|n_ctx"
    r"|exceed.{0,30}(?:context|input token|maximum.{0,15}tokens)|longer than.{0,30}model length",
    re.IGNORECASE,
)
_OTHER_LIMIT = re.compile(
    r"quota|credit|billing|\brate\b|rate_limit|per (?:minute|day)|\bTP[MD]\b", re.IGNORECASE
)


class End(Enum):
    """Why a reply has ended."""

    COMPLETE = "complete"
    CUT_OFF = "cut off"
    FILTERED = "filtered"
    FAILED = "failed"


# Values of `finish_reason`.
_ENDS = {
    End.COMPLETE: r"stop|eos|eos_token|end_turn|stop_sequence|completed?|(?:tool|function)_calls?",
    End.CUT_OFF: r"length|max_tokens|model_length|max_output_tokens",
    End.FILTERED: r"content_filter.*|safety|spii|refusal|recitation|blocklist|prohibited_content",
    End.FAILED: r"error|abort|other|insufficient_system_resource",
}


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of a reply.

    `is_message` says that the text is in a message, which may repeat the reply. `finish_reason` is
    the server's own word, or "". `error` is the server's own sentence; None means that there is no
    error. `usage` and `model` are as the server sent them.
    """

    text: str = ""
    is_message: bool = False
    has_reasoning: bool = False
    finish_reason: str = ""
    error: str | None = None
    usage: object = None
    model: object = None

    @property
    def end(self) -> End | None:
        """Return why the reply has ended, or None if it has not ended or the reason is unknown."""
        reason = self.finish_reason.lower()
        return next((end for end, words in _ENDS.items() if re.fullmatch(words, reason)), None)


def parse_chunk(data: str) -> Chunk:
    """Parse a chunk of a stream, or a whole completion. Anything unknown is an empty chunk."""
    try:
        return _parse(json.loads(data))
    except (ValueError, TypeError, AttributeError, LookupError, RecursionError):
        return Chunk()


def _parse(chunk: Mapping[str, Any]) -> Chunk:
    choices = chunk.get("choices") or []
    choice: Mapping[str, Any] = choices[0] if choices else {}
    error = chunk.get("error") or choice.get("error")
    # vLLM and FastAPI report errors without the field `error`.
    is_error_object = chunk.get("object") == "error" or ("detail" in chunk and not choices)
    if error or is_error_object:
        return Chunk(error=error_sentence(error or chunk))
    delta, message = choice.get("delta"), choice.get("message")
    bodies = [body for body in (delta, choice, message) if isinstance(body, Mapping)]
    if any(_is_thought(body) for body in bodies):
        return Chunk(has_reasoning=True, model=chunk.get("model"))
    text, body = next(((t, body) for body in bodies if (t := _text(body))), ("", None))
    return Chunk(
        text=text,
        is_message=body is message,
        has_reasoning=any(body.get(name) for body in bodies for name in REASONING_FIELDS)
        or any(_has_reasoning_part(body.get("content")) for body in bodies),
        finish_reason=str(choice.get("finish_reason") or ""),
        usage=chunk.get("usage"),
        model=chunk.get("model"),
    )


def is_overflow(sentence: str) -> bool:
    """Return whether an error says that the prompt exceeds the context window."""
    return bool(_OVERFLOW.search(sentence)) and not is_other_limit(sentence)


def is_other_limit(sentence: str) -> bool:
    """Return whether an error is about a limit of use, such as a quota."""
    return bool(_OTHER_LIMIT.search(sentence))


def error_sentence(data: object) -> str:
    """Return the server's own words about an error, of any shape, in one line."""
    sentence = next(_strings(data, MAX_NESTING), "")
    return _KEY.sub("[key]", " ".join(sentence.split()))[:MAX_ERROR_CHARACTERS]


def _strings(data: object, max_nesting: int) -> Iterator[str]:
    if isinstance(data, str) and data.strip():
        yield from _strings(parse_json(data), max_nesting - 1) if max_nesting else ()
        yield data
    elif max_nesting and isinstance(data, Mapping):
        for name in ERROR_FIELDS:
            yield from _strings(data.get(name), max_nesting - 1)
    elif max_nesting and isinstance(data, list):
        for item in data:
            yield from _strings(item, max_nesting - 1)


def parse_json(text: str) -> object:
    """Parse JSON; return None for any other text."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _text(content: object) -> str:
    """Return a text, which may be in parts, some of which are reasoning (Mistral)."""
    if isinstance(content, list):
        return "".join(map(_text, content))
    if isinstance(content, Mapping) and content.get("type") not in REASONING_PART_TYPES:
        return next(filter(None, (_text(content.get(name)) for name in TEXT_FIELDS)), "")
    return content if isinstance(content, str) else ""


def _is_thought(body: Mapping[str, Any]) -> bool:
    """Return whether Gemini marks the content as a thought."""
    extra = body.get("extra_content")
    google = extra.get("google") if isinstance(extra, Mapping) else None
    return isinstance(google, Mapping) and google.get("thought") is True


def _has_reasoning_part(content: object) -> bool:
    return isinstance(content, list) and any(
        isinstance(part, Mapping) and part.get("type") in REASONING_PART_TYPES for part in content
    )
