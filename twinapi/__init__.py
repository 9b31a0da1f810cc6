"""A client library for the Conversational AI Twin Service Interface."""

from twinapi.client import Client
from twinapi.errors import (
    ApiError,
    Conflict,
    ConnectionFailed,
    Forbidden,
    Invalid,
    NoPicture,
    NotFound,
    RateLimited,
    ServiceFailed,
    StreamError,
    StreamInterrupted,
    StreamTooLarge,
    TwinApiError,
    Unauthorized,
    Unexpected,
)
from twinapi.events import Complete, Delta, Event, Failed, Progress
from twinapi.models import ApiKey, Conversation, Message, Page, Twin
from twinapi.rate_limit_headers import Limits
from twinapi.stream import ReplyStream

__all__ = [
    "ApiError",
    "ApiKey",
    "Client",
    "Complete",
    "Conflict",
    "ConnectionFailed",
    "Conversation",
    "Delta",
    "Event",
    "Failed",
    "Forbidden",
    "Invalid",
    "Limits",
    "Message",
    "NoPicture",
    "NotFound",
    "Page",
    "Progress",
    "RateLimited",
    "ReplyStream",
    "ServiceFailed",
    "StreamError",
    "StreamInterrupted",
    "StreamTooLarge",
    "Twin",
    "TwinApiError",
    "Unauthorized",
    "Unexpected",
]
