"""Template values for conversations, the composer and conversation lists."""

from web.views.action_notice import read_action_notice
from web.views.composer_view import prefilled_composer, quota_view
from web.views.conversation_page import before_position, conversation_page
from web.views.conversation_view import (
    TURNS_PER_PAGE,
    sidebar_groups,
    turns_view,
    will_move_in_sidebar,
)
from web.views.date_groups import group_by_date
from web.views.turn_view import TurnView, turn_view

__all__ = [
    "TURNS_PER_PAGE",
    "TurnView",
    "before_position",
    "conversation_page",
    "group_by_date",
    "prefilled_composer",
    "quota_view",
    "read_action_notice",
    "sidebar_groups",
    "turn_view",
    "turns_view",
    "will_move_in_sidebar",
]
