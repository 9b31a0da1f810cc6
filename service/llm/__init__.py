"""Client of the language model, and the bundled model."""

from service.llm.client import CompletionStream, ModelClient, ModelFailed, Prompt, PromptTooLong
from service.llm.tokenizer import TokenCounter, estimate_tokens

__all__ = [
    "CompletionStream",
    "ModelClient",
    "ModelFailed",
    "Prompt",
    "PromptTooLong",
    "TokenCounter",
    "estimate_tokens",
]
