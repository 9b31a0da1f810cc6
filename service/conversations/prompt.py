"""What the model is told: who it is, how it speaks, and as much of the talk as fits its window."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from zlib import crc32

from service.conversations.messages import Message
from service.llm.tokenizer import Tokens, estimate
from service.twins.twin import Twin

# Every message costs a few tokens more than its text, and so does the template around them all.
TOKENS_A_MESSAGE = 8
TOKENS_A_PROMPT = 32
# Hardly any text has more; what is surely too much is not even counted.
MOST_BYTES_A_TOKEN = 8

Prompt = list[dict[str, str]]


def build(
    twin: Twin,
    history: Sequence[Message],
    *,
    window: int,
    tokens: Tokens = estimate,
    whole: bool = True,
) -> Prompt:
    """Return the messages for the model; the newest of the history is always among them.

    `window` is how many tokens the prompt may have. `tokens` counts them, and is asked seldom.
    `whole` says that the history begins with the first message of all.
    """
    frame = [{"role": "system", "content": twin.instructions}] if twin.instructions else []
    for example in twin.about.examples:
        frame += _exchange(example.said, example.reply)
    always = [*frame, {"role": "user", "content": history[-1].content}]
    pairs = _exchanges(history)[::-1]
    exchanges = [_exchange(said.content, reply.content) for said, reply in pairs]
    left = window - TOKENS_A_PROMPT
    fit = len(exchanges)
    if exchanges and sum(map(_most, [always, *exchanges])) > left:
        fit = _how_many_fit(exchanges, left - _cost(always, tokens), tokens)
    if fit < len(exchanges) or not whole:
        exchanges = exchanges[: _steady(fit, [said.id for said, _ in pairs])]
    kept = [message for exchange in reversed(exchanges) for message in exchange]
    return [*frame, *kept, always[-1]]


def _steady(fit: int, ids: Sequence[str]) -> int:
    """Return how many to keep, so that the talk begins with the same words for some turns.

    A model server reads only what is new behind a beginning that it knows; with a beginning that
    moves each turn it would read everything again. Of the oldest third of what fits, the one with
    the smallest checksum begins: it stays the smallest while the third moves past it.
    """
    oldest = range(fit, fit * 2 // 3, -1)
    return min(oldest, key=lambda kept: crc32(ids[kept - 1].encode()), default=0)


def _how_many_fit(exchanges: Sequence[Prompt], left: int, tokens: Tokens) -> int:
    """Return how many of the exchanges fit, the newest of which come first."""
    sizes = accumulate(map(_most, exchanges))
    near = sum(size <= left * MOST_BYTES_A_TOKEN for size in sizes)
    # What is counted may be the answer of a server: halves, because one by one takes too long.
    fit, too_many, trial = 0, near + 1, near
    while fit < trial:
        cost = _cost([message for exchange in exchanges[fit:trial] for message in exchange], tokens)
        if cost <= left:
            fit, left = trial, left - cost
        else:
            too_many = trial
        trial = (fit + too_many) // 2
    return fit


def _exchanges(history: Sequence[Message]) -> list[tuple[Message, Message]]:
    """Pair what was said with its reply; what was never answered would only confuse the model."""
    said = {message.id: message for message in history if message.role == "user"}
    # A message that was sent again may have two replies: the half one came first.
    replies = {message.reply_to: message for message in history if message.content}
    return [(message, replies[id_]) for id_, message in said.items() if id_ in replies]


def _exchange(said: str, reply: str) -> Prompt:
    return [{"role": "user", "content": said}, {"role": "assistant", "content": reply}]


def _cost(messages: Prompt, tokens: Tokens) -> int:
    text = "\n".join(message["content"] for message in messages)
    return tokens(text) + TOKENS_A_MESSAGE * len(messages)


def _most(messages: Prompt) -> int:
    """Return what messages cost at most: no byte-level tokenizer makes two tokens of a byte."""
    return _cost(messages, lambda text: len(text.encode()))
