"""Request to the model for a reply, with as much history as the model accepts."""

from __future__ import annotations

from contextlib import suppress

from service.conversations.messages import Messages
from service.conversations.prompt import build_prompt
from service.conversations.reply import Reply
from service.llm import CompletionStream, ModelClient, ModelFailed, PromptTooLong

MAX_HISTORY_MESSAGES = 200
MAX_PROMPT_ATTEMPTS = 4


def request_reply(reply: Reply, messages: Messages, model: ModelClient) -> CompletionStream:
    """Request the reply; halve the window while the prompt is too long. Raises ModelFailed."""
    front_matter = reply.twin.front_matter
    history = messages.recent_history(reply.message, MAX_HISTORY_MESSAGES)
    if not history:
        raise ModelFailed("The conversation was deleted.")
    window = max(model.window - front_matter.max_tokens, model.window // 4)
    count_tokens = model.token_counter(front_matter.model)
    for shrink in range(MAX_PROMPT_ATTEMPTS):
        prompt = build_prompt(
            reply.twin,
            history,
            window=window >> shrink,
            count_tokens=count_tokens,
            is_full_history=len(history) < MAX_HISTORY_MESSAGES,
        )
        with suppress(PromptTooLong):
            return model.stream_reply(prompt, front_matter)
    raise ModelFailed("The message is too long for this model. Try a shorter one.", "too_long")
