"""The demo model as a model client."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain

import msgspec

from twindow.core.settings import Settings
from twindow.service.llm.client import Endpoint, ModelClient
from twindow.service.llm.completion_stream import CompletionStream
from twindow.service.llm.demo.ending import TOKENS_TO_FINISH, end_well
from twindow.service.llm.demo.process import DemoModelUnavailable, DemoProcess
from twindow.service.llm.demo.server import MODEL_NAME, find_weights
from twindow.service.llm.demo.special_tokens import neutralize
from twindow.service.llm.dialect import Prompt
from twindow.service.llm.refusals import ModelFailed
from twindow.service.llm.tokenizer import TokenCounter
from twindow.service.twins import FrontMatter

PARALLEL_REPLIES = 2


def is_available(settings: Settings) -> bool:
    """Return whether the demo model is installed, and not turned off."""
    return settings.demo_model and find_weights() is not None


class DemoModel(ModelClient):
    """A model client whose server is a child process of one of the workers."""

    # The last exchange and the new message. With more, replies drift off the subject.
    max_history_messages = 3

    def __init__(
        self, settings: Settings, pause_seconds: Callable[[], float] = lambda: 0.0
    ) -> None:
        super().__init__(settings, pause_seconds)
        self.max_parallel_replies = settings.model_parallel or PARALLEL_REPLIES
        self.process = DemoProcess(
            settings.data_dir, window=settings.model_window, parallel=self.max_parallel_replies
        )

    def token_counter(self, name: str | None) -> TokenCounter:
        """Return a function that counts tokens; calling it may raise ModelFailed."""
        count = super().token_counter(name)
        return lambda text: count(neutralize(text))

    def stream_reply(self, prompt: Prompt, front_matter: FrontMatter) -> CompletionStream:
        """Start a reply that begins with `reply_start`. Raises ModelFailed, and PromptTooLong."""
        prompt = [message | {"content": neutralize(message["content"])} for message in prompt]
        # A reply may repeat passages of files, which are in the prompt.
        messages = [
            message["content"]
            for message in prompt
            if message["role"] == "user" and not front_matter.knowledge
        ]
        if start := front_matter.reply_start:
            prompt.append({"role": "assistant", "content": start})
        max_tokens = front_matter.max_tokens
        longer = msgspec.structs.replace(front_matter, max_tokens=max_tokens + TOKENS_TO_FINISH)
        stream = super().stream_reply(prompt, longer)
        stream.edit = lambda pieces: end_well(chain([start], pieces), max_tokens, messages)
        return stream

    def close(self) -> None:
        """Close the connections, and end the child process if this process owns it."""
        super().close()
        self.process.stop()

    def _find_endpoint(self) -> Endpoint:
        try:
            return Endpoint(*self.process.url_and_key(), MODEL_NAME)
        except DemoModelUnavailable as error:
            raise ModelFailed(str(error)) from None
