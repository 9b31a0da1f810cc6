"""What the model is told: who it is, how it speaks, and as much of the talk as fits its window."""

from __future__ import annotations

from collections.abc import Sequence

from service.messages import Message
from service.twins import Twin

# A byte-level tokenizer needs about one token for three bytes of prose; a message costs a few more.
BYTES_A_TOKEN = 3
TOKENS_A_MESSAGE = 8

Prompt = list[dict[str, str]]


def build(twin: Twin, history: Sequence[Message], *, window: int) -> Prompt:
    """Return the messages for the model; the newest of the history is always among them.

    `window` is how many tokens the prompt may have.
    """
    frame = [{"role": "system", "content": twin.instructions}] if twin.instructions else []
    for example in twin.about.examples:
        frame += _exchange(example.said, example.reply)
    newest = {"role": "user", "content": history[-1].content}
    left = window - _cost(frame) - _cost([newest])
    kept: Prompt = []
    for said, reply in reversed(_exchanges(history)):
        exchange = _exchange(said, reply)
        left -= _cost(exchange)
        if left < 0:
            break
        kept = exchange + kept
    return [*frame, *kept, newest]


def _exchanges(history: Sequence[Message]) -> list[tuple[str, str]]:
    """Pair what was said with its reply; what was never answered would only confuse the model."""
    said = {message.id: message.content for message in history if message.role == "user"}
    return [
        (said[message.reply_to], message.content)
        for message in history
        if message.reply_to in said and message.content
    ]


def _exchange(said: str, reply: str) -> Prompt:
    return [{"role": "user", "content": said}, {"role": "assistant", "content": reply}]


def _cost(messages: Prompt) -> int:
    return sum(
        len(message["content"].encode()) // BYTES_A_TOKEN + TOKENS_A_MESSAGE for message in messages
    )
