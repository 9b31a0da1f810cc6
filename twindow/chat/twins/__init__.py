"""Twins of the service: catalogue, recent use and avatars."""

from twindow.chat.twins.avatars import Avatars
from twindow.chat.twins.catalogue import TwinCatalogue, TwinList
from twindow.chat.twins.list_errors import (
    advise_operator,
    describe_cause,
    list_error_code,
)
from twindow.chat.twins.recent_twins import RecentTwins, TwinUsage, filter_twins
from twindow.chat.twins.twin_list_store import TwinListStore

__all__ = [
    "Avatars",
    "RecentTwins",
    "TwinCatalogue",
    "TwinList",
    "TwinListStore",
    "TwinUsage",
    "advise_operator",
    "describe_cause",
    "filter_twins",
    "list_error_code",
]
