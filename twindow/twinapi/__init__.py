"""A client library for the Conversational AI Twin Service Interface."""

from twindow.twinapi.avatar_download import AvatarDownloader, AvatarUnavailable
from twindow.twinapi.client import Client
from twindow.twinapi.errors import (
    ApiError,
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
from twindow.twinapi.events import Complete, Delta, Event, Failed, Source
from twindow.twinapi.models import ApiKey, Conversation, ListedApiKey, Twin
from twindow.twinapi.pages import Page
from twindow.twinapi.progress import Progress
from twindow.twinapi.rate_limit_headers import RateLimitReport
from twindow.twinapi.stream import ReplyStream

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
    "ListedApiKey",
    "NotFound",
    "Page",
    "Progress",
    "RateLimitReport",
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
