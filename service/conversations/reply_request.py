"""Reading of a reply from the knowledge of a twin, or from the model with its history."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

import msgspec

from core.languages import N_
from service.conversations.messages import Messages
from service.conversations.prompt import build_prompt
from service.conversations.reply import Reply
from service.conversations.task import find_task, reply_start
from service.knowledge import (
    Knowledge,
    missing_sources_note,
    prompt_with_sources,
    question_terms,
    refers_to_earlier,
    split_pieces,
)
from service.llm import ModelClient, ModelFailed, Prompt, PromptTooLong, small_model
from service.twins import Sampling

MAX_HISTORY_MESSAGES = 200
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


def newest_task(reply: Reply, messages: Messages) -> str:
    """Return the task for the bundled model, or "" if the message has none."""
    history = messages.recent_history(reply.message, MAX_SUBJECT_MESSAGES)
    contents = [each.content for each in reversed(history) if each.role == "user"]
    return find_task(reply.twin, contents)


def _newest_questions(reply: Reply, messages: Messages) -> tuple[str, str]:
    """Return the question, and the last one before it that names a subject."""
    history = messages.recent_history(reply.message, MAX_SUBJECT_MESSAGES)
    if not history:
        raise ModelFailed(N_("The conversation was deleted."))
    question, *earlier = [each.content for each in reversed(history) if each.role == "user"]
    language = reply.twin.language
    subjects = (
        each for each in earlier if question_terms(each, language) and not refers_to_earlier(each)
    )
    return question, next(subjects, "")


def read_reply(
    reply: Reply, messages: Messages, model: ModelClient, task: str = ""
) -> Iterator[str]:
    """Yield the pieces of the reply; halve the window while the prompt is too long.

    The bundled model gets a task without the messages before it, which it would mix into this one.
    A prompt that does not get shorter is not sent again. Raises ModelFailed.
    """
    front_matter = reply.twin.front_matter
    max_messages = MAX_HISTORY_MESSAGES
    if model.bundled:
        max_messages = 1 if front_matter.message_template else small_model.MAX_HISTORY_MESSAGES
    history = list(messages.recent_history(reply.message, max_messages))
    if not history:
        raise ModelFailed(N_("The conversation was deleted."))
    preface = ""
    if task:
        history[-1] = replace(history[-1], content=task)
    if reply.sources:
        question = prompt_with_sources(history[-1].content, reply.sources)
        history[-1] = replace(history[-1], content=question)
    elif front_matter.knowledge:
        preface = missing_sources_note(reply.twin, history[-1].content)
    elif task:
        preface = reply_start(reply.twin, task)
    window = max(model.window - front_matter.max_tokens, model.window // 4)
    count_tokens = model.token_counter(front_matter.model)
    refused_prompt: Prompt = []
    for shrink in range(MAX_PROMPT_ATTEMPTS):
        prompt = build_prompt(
            reply.twin,
            history,
            window=window >> shrink,
            count_tokens=count_tokens,
            is_full_history=len(history) < max_messages,
        )
        if task and preface:
            prompt = [*prompt, {"role": "assistant", "content": preface.rstrip()}]
        if prompt == refused_prompt:
            continue
        refused_prompt = prompt
        with suppress(PromptTooLong):
            yield from _stream_pieces(reply, model, prompt, preface)
            return
    raise ModelFailed("The message is too long for this model. Try a shorter one.", "too_long")


def _stream_pieces(reply: Reply, model: ModelClient, prompt: Prompt, preface: str) -> Iterator[str]:
    """Yield the pieces of the reply of the model, after the preface."""
    options: Sampling = reply.twin.front_matter
    if model.bundled:
        limit = options.max_tokens + small_model.TOKENS_TO_FINISH
        options = msgspec.structs.replace(options, max_tokens=limit)
    pieces = reply.read_pieces(model.stream_reply(prompt, options))
    if model.bundled:
        pieces = small_model.finish_well(pieces, reply.twin.front_matter.max_tokens)
    for piece in pieces:
        yield preface + piece.lstrip() if preface else piece
        preface = ""
