"""Template values for conversations, the composer and conversation lists."""

from web.views.action_notice import read_action_notice
from web.views.composer_view import prefilled_composer, quota_view
from web.views.conversation_page import _before_position, conversation_page
from web.views.conversation_view import (
    TURNS_PER_PAGE,
    log_view,
    sidebar_groups,
    will_move_in_sidebar,
)
from web.views.date_groups import group_by_date

__all__ = [
    "TURNS_PER_PAGE",
    "_before_position",
    "conversation_page",
    "group_by_date",
    "log_view",
    "prefilled_composer",
    "quota_view",
    "read_action_notice",
    "sidebar_groups",
    "will_move_in_sidebar",
]
