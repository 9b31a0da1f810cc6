"""Build the prompt: instructions, examples, and as much history as fits the context window."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from zlib import crc32

from twindow.service.conversations.messages import Message
from twindow.service.llm import Prompt, TokenCounter, estimate_tokens
from twindow.service.twins import Twin

# Tokens that the chat template adds to each message and to the whole prompt.
TOKENS_PER_MESSAGE = 8
TOKENS_PER_PROMPT = 32
# Few texts have more bytes per token, so history of more than `MAX_BYTES_PER_TOKEN` bytes for each
# token of the budget is omitted without counting its tokens.
MAX_BYTES_PER_TOKEN = 8


def build_prompt(
    twin: Twin,
    history: Sequence[Message],
    *,
    window: int,
    count_tokens: TokenCounter = estimate_tokens,
    is_full_history: bool = True,
) -> Prompt:
    """Return the messages for the model. The newest message of the history is always included.

    `window` is the maximum size of the prompt in tokens. `count_tokens` is called as rarely as
    possible, because it may query a server. `is_full_history` says whether `history` begins with
    the first message of the conversation.
    """
    preamble = [{"role": "system", "content": twin.instructions}] if twin.instructions else []
    for example in twin.front_matter.examples:
        preamble.append({"role": "user", "content": example.message})
        preamble.append({"role": "assistant", "content": example.reply})
    required_messages = [*preamble, _user_message(twin, history[-1])]
    pairs = _pair_with_replies(history)[::-1]
    exchanges = [
        [_user_message(twin, message), {"role": "assistant", "content": reply.content}]
        for message, reply in pairs
    ]
    budget = window - TOKENS_PER_PROMPT
    fit_count = len(exchanges)
    if exchanges and sum(map(_max_token_count, [required_messages, *exchanges])) > budget:
        fit_count = _count_fitting(
            exchanges, budget - _token_count(required_messages, count_tokens), count_tokens
        )
    if fit_count < len(exchanges) or not is_full_history:
        exchanges = exchanges[
            : _cache_stable_count(fit_count, [message.id for message, _ in pairs])
        ]
    history_messages = [message for exchange in reversed(exchanges) for message in exchange]
    return [*preamble, *history_messages, required_messages[-1]]


def _cache_stable_count(fit_count: int, ids: Sequence[str]) -> int:
    """Return how many of the newest exchanges to keep, so that the server can cache the prefix.

    A model server caches the prefix of a prompt and processes only what follows it; a history whose
    start moves every turn would defeat that cache. The history therefore starts with the exchange
    that has the smallest checksum in the oldest third of the exchanges that fit. This third moves
    by about one exchange per turn, so the same exchange usually remains the start for some turns.
    """
    oldest = range(fit_count, fit_count * 2 // 3, -1)
    return min(oldest, key=lambda kept: crc32(ids[kept - 1].encode()), default=0)


def _count_fitting(exchanges: Sequence[Prompt], budget: int, count_tokens: TokenCounter) -> int:
    """Return how many of the exchanges, newest first, fit into the budget (in tokens)."""
    sizes = accumulate(map(_max_token_count, exchanges))
    upper_bound = sum(size <= budget * MAX_BYTES_PER_TOKEN for size in sizes)
    # Use binary search, because each count may be a request to a server.
    fit_count, too_many, trial = 0, upper_bound + 1, upper_bound
    while fit_count < trial:
        cost = _token_count(
            [message for exchange in exchanges[fit_count:trial] for message in exchange],
            count_tokens,
        )
        if cost <= budget:
            fit_count, budget = trial, budget - cost
        else:
            too_many = trial
        trial = (fit_count + too_many) // 2
    return fit_count


def _pair_with_replies(history: Sequence[Message]) -> list[tuple[Message, Message]]:
    """Pair messages with their replies. Unanswered messages would only confuse the model."""
    sent_messages = {message.id: message for message in history if message.role == "user"}
    # A message that was sent again may have several replies. Only the last reply is used.
    replies = {message.reply_to: message for message in history if message.content}
    return [(message, replies[id_]) for id_, message in sent_messages.items() if id_ in replies]


def _user_message(twin: Twin, message: Message) -> dict[str, str]:
    return {"role": "user", "content": twin.fill_template(message.content)}


def _token_count(messages: Prompt, count_tokens: TokenCounter) -> int:
    text = "\n".join(message["content"] for message in messages)
    return count_tokens(text) + TOKENS_PER_MESSAGE * len(messages)


def _max_token_count(messages: Prompt) -> int:
    """Return an upper bound of the token count.

    A byte-level tokenizer makes at most one token of each byte.
    """
    return _token_count(messages, lambda text: len(text.encode()))
