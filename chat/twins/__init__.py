"""Twins of the service: catalogue, recent use and avatars."""

from chat.twins.avatar_fetcher import AvatarFetcher
from chat.twins.catalogue import TwinCatalogue, TwinList
from chat.twins.recent_twins import RecentTwins, TwinUsage, filter_twins

__all__ = [
    "AvatarFetcher",
    "RecentTwins",
    "TwinCatalogue",
    "TwinList",
    "TwinUsage",
    "filter_twins",
]
