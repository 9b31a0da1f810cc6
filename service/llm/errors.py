"""Errors of the model client."""

from __future__ import annotations

from service.interface_types import ReplyErrorCode


class ModelFailed(Exception):
    """Raised when the model gives no reply; `sentence` is for people and contains no secrets.

    `setting` is the name of the setting that an operator should check, or "".
    """

    def __init__(
        self,
        sentence: str,
        code: ReplyErrorCode = "model_failed",
        retry_after: int | None = None,
        *,
        setting: str = "",
    ) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.code = code
        self.retry_after = retry_after
        self.setting = setting


class PromptTooLong(Exception):
    """Raised when the prompt does not fit into the context window of the model."""
