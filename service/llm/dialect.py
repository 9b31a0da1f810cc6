"""What a model of a server accepts: learnt from its refusals, and kept in memory."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from service.llm.refusals import Refusal

Prompt = list[dict[str, str]]

# Options that a reply can do without. What a server refuses by name is left out.
OPTIONAL = (
    "stream_options",
    "temperature",
    "top_p",
    "frequency_penalty",
    "presence_penalty",
    "seed",
    "stop",
)
# A thinking model needs tokens for its reasoning, besides those of the reply.
THINKING_TOKENS = 4_096

_REFUSED = re.compile(
    r"unsupported|not support|unknown|unrecognized|unexpected|invalid|only|extra|not allowed"
    r"|not permitted|deprecated|incompatible",
    re.IGNORECASE,
)
_NO_SYSTEM_ROLE = re.compile(
    r"system role|role.{0,20}system|system.{0,20}(?:message|prompt|instruction)"
    r"|roles must alternate|developer instruction",
    re.IGNORECASE,
)


@dataclass
class Dialect:
    """The dialect of one model of one server."""

    max_tokens_name: str = "max_tokens"
    left_out: set[str] = field(default_factory=set)
    has_system_role: bool = True
    is_streaming: bool = True
    is_thinking: bool = False
    # Whether replies begin with reasoning that has a closing tag only.
    begins_thinking: bool = False

    def note_thinking(self, has_thought: bool, begins_thinking: bool) -> bool:  # noqa: FBT001
        """Remember whether the model writes reasoning, and return whether that is new."""
        was_known = self.is_thinking
        self.is_thinking |= has_thought or begins_thinking
        self.begins_thinking = begins_thinking
        return self.is_thinking and not was_known

    def request_body(self, name: str, prompt: Prompt, options: dict[str, Any]) -> dict[str, Any]:
        """Return the body of a request; `options` has the options of the twin by their names."""
        options = dict(options)
        limit = options.pop("max_tokens", None)
        if limit is not None:
            options[self.max_tokens_name] = limit + (THINKING_TOKENS if self.is_thinking else 0)
        if self.is_streaming:
            options |= {"stream": True, "stream_options": {"include_usage": True}}
        messages = prompt if self.has_system_role else _without_system_role(prompt)
        body = {"model": name, "messages": messages, **options}
        return {key: value for key, value in body.items() if key not in self.left_out}

    def learn(self, refusal: Refusal, sent: dict[str, Any]) -> bool:
        """Learn from the refusal of a request. Return whether the next one will be different."""
        status, message = refusal.status, refusal.words
        if status not in (400, 422, 500):
            return False
        names = refusal.names & sent.keys() or {name for name in sent if _names(message, name)}
        if re.search(r"\bstreaming\b", message, re.IGNORECASE):
            names = names | {"stream"}
        if "max_tokens" in names and "max_completion_tokens" in message:
            self.max_tokens_name = "max_completion_tokens"
            return True
        is_refused = status != 500 and (bool(refusal.names) or bool(_REFUSED.search(message)))
        if is_refused and (refused := names & set(OPTIONAL)):
            self.left_out |= refused
            return True
        if self.has_system_role and _NO_SYSTEM_ROLE.search(message):
            self.has_system_role = False
            return True
        if is_refused and self.is_streaming and "stream" in names:
            self.is_streaming = False
            return True
        return False


def _names(message: str, name: str) -> bool:
    """Return whether a sentence names a parameter, as a whole word."""
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", message) is not None


def _without_system_role(prompt: Prompt) -> Prompt:
    """Return the prompt with the instructions at the beginning of its first message."""
    instructions = [message["content"] for message in prompt if message["role"] == "system"]
    messages = [message for message in prompt if message["role"] != "system"]
    if not instructions or not messages:
        return messages or prompt
    first = messages[0]
    content = "\n\n".join([*instructions, first["content"]])
    return [first | {"content": content}, *messages[1:]]
