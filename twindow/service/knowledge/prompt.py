"""The message for a model that answers from passages (`knowledge: prompt`)."""

from __future__ import annotations

from collections.abc import Sequence

from twindow.service.knowledge.index import Source

PROMPT = """Passages from files:

{passages}

Answer the message below from these passages. After each statement, write the number of its \
passage in brackets, for example [1]. If the passages do not answer the message, say so.

Message: {question}"""


def prompt_with_sources(question: str, sources: Sequence[Source]) -> str:
    """Return the message for a model that answers a question from numbered passages."""
    passages = [
        f"[{number}] {source.heading}\n{source.passage}" for number, source in enumerate(sources, 1)
    ]
    return PROMPT.format(passages="\n\n".join(passages), question=question)
