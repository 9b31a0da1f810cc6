"""View models of conversations and of lists of conversations."""

from twindow.web.views.action_notice import read_action_notice
from twindow.web.views.conversation_page import render_conversation_page
from twindow.web.views.conversation_view import (
    ConversationView,
    load_conversation_view,
)
from twindow.web.views.date_groups import DateGroup, group_by_date
from twindow.web.views.sidebar import sidebar_groups, sidebar_row
from twindow.web.views.turn_view import TurnView, load_turn_view, load_turn_views

__all__ = [
    "ConversationView",
    "DateGroup",
    "TurnView",
    "group_by_date",
    "load_conversation_view",
    "load_turn_view",
    "load_turn_views",
    "read_action_notice",
    "render_conversation_page",
    "sidebar_groups",
    "sidebar_row",
]
