"""What a model of a server accepts: learnt from its refusals, and kept in memory."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from twindow.service.llm.chunks import is_other_limit, is_overflow
from twindow.service.llm.refusals import PromptTooLong, Refusal
from twindow.service.llm.tokenizer import estimate_tokens

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
# Smaller numbers in a refusal are not the maximum length of a reply.
MIN_REPLY_TOKENS = 16
# Tokens that are left free, because the length of a prompt is estimated.
SPARE_TOKENS = 256

_REFUSED = re.compile(
    r"unsupported|not support|unknown|unrecognized|unexpected|invalid|only|extra|not allowed"
    r"|not permitted|deprecated|incompatible",
    re.IGNORECASE,
)
_NO_SYSTEM_ROLE = re.compile(
    r"system role|role.{0,20}system|system.{0,20}(?:message|prompt|instruction)"
    r"|roles must alternate|developer instruction|only user.{0,30}roles are|valid role:",
    re.IGNORECASE,
)
# Words about the length of a reply, which is in fields of several names.
_REPLY_LENGTH = re.compile(
    r"max_(?:completion_|new_|output_)?tokens|maxOutputTokens|(?:completion|output) tokens"
    r"|max(?:imum)? tokens (?:you requested|must)"
)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
_NUMBER = re.compile(r"(?<![\w.,-])\d+(?![\w-]|[.,]\d)")
# The two numbers in a refusal of a prompt that does not fit together with the reply.
_WINDOW = re.compile(r"(?:context (?:length|window|size)|must be <=)\D{0,40}?(\d+)")
_PROMPT_PART = re.compile(
    r"(\d+) (?:tokens )?(?:in the messages|`?inputs?`? tokens|from the input|of text input)"
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
    # The maximum length of a reply, and of an estimated prompt and its reply; 0 if unknown.
    max_tokens: int = 0
    window: int = 0

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
            options[self.max_tokens_name] = self._reply_tokens(limit, prompt)
        if self.is_streaming:
            options |= {"stream": True, "stream_options": {"include_usage": True}}
        messages = prompt if self.has_system_role else _without_system_role(prompt)
        body = {"model": name, "messages": messages, **options}
        return {key: value for key, value in body.items() if key not in self.left_out}

    def learn(self, refusal: Refusal, sent: dict[str, Any], limit: int) -> None:
        """Learn from the refusal of a request with the body `sent`, for `limit` tokens of a reply.

        Raises PromptTooLong.
        """
        status, message = refusal.status, _THOUSANDS.sub("", refusal.words)
        if status not in (400, 413, 422, 500):
            return
        names = sent.keys() & (refusal.names & sent.keys() or re.findall(r"[\w-]+", message))
        if re.search(r"\bstreaming\b", message, re.IGNORECASE):
            names = names | {"stream"}
        is_refused = status != 500 and bool(refusal.names or _REFUSED.search(message))
        tokens = sent.get(self.max_tokens_name)
        is_about_reply = _REPLY_LENGTH.search(message) and not is_other_limit(message)
        window, part = _WINDOW.search(message), _PROMPT_PART.search(message)
        if tokens and window and part:
            rest = int(window[1]) - int(part[1])
            if not min(limit, int(window[1]) // 4) <= rest < tokens:
                raise PromptTooLong  # a shorter reply would be of no use
            self.window = rest + _estimate(sent["messages"]) - SPARE_TOKENS
        elif "max_tokens" in names and "max_completion_tokens" in message:
            self.max_tokens_name = "max_completion_tokens"
        elif tokens and (is_about_reply or self.max_tokens_name in names):
            numbers = (int(number) for number in _NUMBER.findall(message))
            self.max_tokens = max((n for n in numbers if MIN_REPLY_TOKENS <= n < tokens), default=0)
            self.left_out |= set() if self.max_tokens else {self.max_tokens_name}
        elif is_overflow(message):
            raise PromptTooLong
        elif is_refused and (refused := names & set(OPTIONAL)):
            self.left_out |= refused
        elif _NO_SYSTEM_ROLE.search(message):
            self.has_system_role = False
        elif is_refused and "stream" in names:
            self.is_streaming = False

    def _reply_tokens(self, limit: int, prompt: Prompt) -> int:
        tokens = limit + (THINKING_TOKENS if self.is_thinking else 0)
        if self.window:
            least = min(limit, self.window // 4)
            tokens = min(tokens, max(self.window - _estimate(prompt), least))
        return min(tokens, self.max_tokens or tokens)


def _estimate(prompt: Prompt) -> int:
    return sum(estimate_tokens(message["content"]) for message in prompt)


def _without_system_role(prompt: Prompt) -> Prompt:
    """Return the prompt with the instructions at the beginning of its first message."""
    instructions = [message["content"] for message in prompt if message["role"] == "system"]
    first, *others = [message for message in prompt if message["role"] != "system"]
    return [first | {"content": "\n\n".join([*instructions, first["content"]])}, *others]
