"""Client of the language model."""

from service.llm.client import ModelClient
from service.llm.completion_stream import CompletionStream
from service.llm.dialect import Prompt
from service.llm.local_servers import find_local_servers, log_local_servers
from service.llm.refusals import ModelFailed, PromptTooLong
from service.llm.tokenizer import TokenCounter, estimate_tokens
from service.llm.usage import Usage

__all__ = [
    "CompletionStream",
    "ModelClient",
    "ModelFailed",
    "Prompt",
    "PromptTooLong",
    "TokenCounter",
    "Usage",
    "estimate_tokens",
    "find_local_servers",
    "log_local_servers",
]
