"""Reading of a reply from the model, with as much history as the model accepts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from core.languages import N_
from service.conversations.messages import Messages
from service.conversations.prompt import build_prompt
from service.conversations.reply import Reply
from service.knowledge import Knowledge, split_pieces
from service.llm import ModelClient, ModelFailed, OnlyThinking, Prompt, PromptTooLong

MAX_HISTORY_MESSAGES = 200
MAX_PROMPT_ATTEMPTS = 4


def quote_knowledge(reply: Reply, messages: Messages, knowledge: Knowledge) -> Iterator[str]:
    """Yield the pieces of a reply from the knowledge of the twin. Raises ModelFailed."""
    history = messages.recent_history(reply.message, 3)
    if not history:
        raise ModelFailed(N_("The conversation was deleted."))
    questions = [message.content for message in history if message.role == "user"]
    answer = knowledge.answer(reply.twin, questions[-1], *questions[:-1][-1:])
    reply.sources = answer.sources
    for piece in split_pieces(answer.text):
        if reply.stop_reason:
            return
        yield piece


def read_reply(reply: Reply, messages: Messages, model: ModelClient) -> Iterator[str]:
    """Yield the pieces of the reply; halve the window while the prompt is too long.

    A prompt that does not get shorter is not sent again. A model that spends all its tokens on
    reasoning the first time gets more at once. Raises ModelFailed.
    """
    front_matter = reply.twin.front_matter
    history = messages.recent_history(reply.message, MAX_HISTORY_MESSAGES)
    if not history:
        raise ModelFailed(N_("The conversation was deleted."))
    window = max(model.window - front_matter.max_tokens, model.window // 4)
    count_tokens = model.token_counter(front_matter.model)
    refused_prompt: Prompt = []
    for shrink in range(MAX_PROMPT_ATTEMPTS):
        prompt = build_prompt(
            reply.twin,
            history,
            window=window >> shrink,
            count_tokens=count_tokens,
            is_full_history=len(history) < MAX_HISTORY_MESSAGES,
        )
        if prompt == refused_prompt:
            continue
        refused_prompt = prompt
        with suppress(PromptTooLong):
            with suppress(OnlyThinking):
                yield from reply.read_pieces(model.stream_reply(prompt, front_matter))
                return
            yield from reply.read_pieces(model.stream_reply(prompt, front_matter))
            return
    raise ModelFailed("The message is too long for this model. Try a shorter one.", "too_long")
