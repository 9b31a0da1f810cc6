"""Literal types of the interface that several packages use."""

from __future__ import annotations

from typing import Literal

Scope = Literal["read_only", "full_access"]
StageName = Literal["queued", "searching", "thinking", "writing"]
Role = Literal["user", "assistant"]
MessageStatus = Literal["complete", "incomplete"]
# Codes of failed replies, in streams and in error responses. ErrorCode adds the codes that occur
# only in error responses.
ReplyErrorCode = Literal[
    "internal_error",
    "model_busy",
    "model_failed",
    "restarting",
    "stopped",
    "too_long",
    "unavailable",
]
ErrorCode = Literal[
    ReplyErrorCode,
    "bad_json",
    "bad_request",
    "forbidden",
    "idempotency_key_reused",
    "invalid",
    "method_not_allowed",
    "not_found",
    "rate_limited",
    "still_replying",
    "too_large",
    "too_many_keys",
    "two_keys",
    "unauthorized",
    "unsupported_media_type",
]
