"""A client library for the Conversational AI Twin Service Interface."""

from twinapi.avatar_download import AvatarDownloader
from twinapi.client import Client
from twinapi.errors import (
    ApiError,
    AvatarUnavailable,
    Conflict,
    ConnectionFailed,
    Forbidden,
    InvalidRequest,
    NotFound,
    RateLimited,
    ServiceFailed,
    StreamError,
    StreamInterrupted,
    StreamTooLarge,
    TwinApiError,
    Unauthorized,
    UnexpectedResponse,
)
from twinapi.events import Complete, Delta, Event, Failed, Source
from twinapi.models import ApiKey, Conversation, ListedApiKey, Twin
from twinapi.pages import Page
from twinapi.progress import Progress
from twinapi.rate_limit_headers import Limits
from twinapi.stream import ReplyStream

__all__ = [
    "ApiError",
    "ApiKey",
    "AvatarDownloader",
    "AvatarUnavailable",
    "Client",
    "Complete",
    "Conflict",
    "ConnectionFailed",
    "Conversation",
    "Delta",
    "Event",
    "Failed",
    "Forbidden",
    "InvalidRequest",
    "Limits",
    "ListedApiKey",
    "NotFound",
    "Page",
    "Progress",
    "RateLimited",
    "ReplyStream",
    "ServiceFailed",
    "Source",
    "StreamError",
    "StreamInterrupted",
    "StreamTooLarge",
    "Twin",
    "TwinApiError",
    "Unauthorized",
    "UnexpectedResponse",
]
