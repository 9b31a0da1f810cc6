"""Reading of a reply from the knowledge of a twin, or from the model with its history."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

from twindow.core.languages import N_
from twindow.service.conversations.messages import Messages
from twindow.service.conversations.prompt import build_prompt
from twindow.service.conversations.reply import Reply
from twindow.service.knowledge import (
    Knowledge,
    missing_sources_note,
    names_subject,
    prompt_with_sources,
    split_pieces,
)
from twindow.service.llm import ModelClient, ModelFailed, Prompt, PromptTooLong

# Questions about "it" follow their subject within this number of messages.
MAX_SUBJECT_MESSAGES = 9
MAX_PROMPT_ATTEMPTS = 4


def quote_knowledge(reply: Reply, messages: Messages, knowledge: Knowledge) -> Iterator[str]:
    """Yield the pieces of a reply from the knowledge of the twin. Raises ModelFailed."""
    answer = knowledge.answer(reply.twin, *_newest_questions(reply, messages))
    reply.sources = answer.sources
    for piece in split_pieces(answer.text):
        if reply.stop_reason:
            return
        yield piece


def find_sources(reply: Reply, messages: Messages, knowledge: Knowledge) -> None:
    """Find the passages for the prompt. Raises ModelFailed."""
    questions = _newest_questions(reply, messages)
    reply.sources = knowledge.find_sources(reply.twin, *questions)


def _newest_questions(reply: Reply, messages: Messages) -> tuple[str, str]:
    """Return the question, and the last one before it that names a subject."""
    history = messages.recent_history(reply.message, MAX_SUBJECT_MESSAGES)
    if not history:
        raise ModelFailed(N_("The conversation was deleted."))
    question, *earlier = [each.content for each in reversed(history) if each.role == "user"]
    language = reply.twin.language
    return question, next((each for each in earlier if names_subject(each, language)), "")


def read_reply(reply: Reply, messages: Messages, model: ModelClient) -> Iterator[str]:
    """Yield the pieces of the reply; halve the window while the prompt is too long.

    A prompt that does not get shorter is not sent again. Raises ModelFailed.
    """
    front_matter = reply.twin.front_matter
    history = list(messages.recent_history(reply.message, model.max_history_messages))
    if not history:
        raise ModelFailed(N_("The conversation was deleted."))
    note = ""
    if reply.sources:
        question = prompt_with_sources(history[-1].content, reply.sources)
        history[-1] = replace(history[-1], content=question)
    elif front_matter.knowledge:
        note = missing_sources_note(reply.twin, history[-1].content)
    window = max(model.window - front_matter.max_tokens, model.window // 4)
    count_tokens = model.token_counter(front_matter.model)
    refused_prompt: Prompt = []
    for shrink in range(MAX_PROMPT_ATTEMPTS):
        prompt = build_prompt(
            reply.twin,
            history,
            window=window >> shrink,
            count_tokens=count_tokens,
            is_full_history=len(history) < model.max_history_messages,
        )
        if prompt == refused_prompt:
            continue
        refused_prompt = prompt
        with suppress(PromptTooLong):
            for piece in reply.read_pieces(model.stream_reply(prompt, front_matter)):
                yield note + piece
                note = ""
            return
    raise ModelFailed("The message is too long for this model. Try a shorter one.", "too_long")
