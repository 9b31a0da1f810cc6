"""Twins of the service: catalogue and avatars."""

from twindow.chat.catalogue.avatars import Avatars
from twindow.chat.catalogue.catalogue import TwinCatalogue, TwinList
from twindow.chat.catalogue.list_errors import (
    advise_operator,
    describe_cause,
    list_error_code,
)
from twindow.chat.catalogue.twin_filter import filter_twins
from twindow.chat.catalogue.twin_list_store import TwinListStore

__all__ = [
    "Avatars",
    "TwinCatalogue",
    "TwinList",
    "TwinListStore",
    "advise_operator",
    "describe_cause",
    "filter_twins",
    "list_error_code",
]
