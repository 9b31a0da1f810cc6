"""Client of the language model."""

from twindow.service.llm.client import ModelClient
from twindow.service.llm.completion_stream import CompletionStream
from twindow.service.llm.dialect import Prompt
from twindow.service.llm.local_servers import find_local_servers, log_local_servers
from twindow.service.llm.refusals import ModelFailed, PromptTooLong
from twindow.service.llm.tokenizer import TokenCounter, estimate_tokens
from twindow.service.llm.usage import Usage

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
