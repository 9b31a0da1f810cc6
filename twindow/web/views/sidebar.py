"""The newest conversations in the sidebar of every page."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache

from flask import current_app, render_template, request
from markupsafe import Markup

from twindow.chat.conversations import Conversation, RecentConversation
from twindow.core.db.errors import DatabaseUnavailable
from twindow.web.assets.static_files import asset_url
from twindow.web.container import portal
from twindow.web.i18n import current_locale, exact_time, to_local_time
from twindow.web.person.current_person import person
from twindow.web.person.twin_permissions import twin_permissions
from twindow.web.views.date_groups import DateGroup, group_by_date

# Rendered rows that are kept: the twenty of a page take a third of its time.
MAX_RENDERED_ROWS = 4_000


def sidebar_groups(
    opened: Conversation | None = None,
) -> list[DateGroup[RecentConversation]]:
    """Return the newest conversations of the person and the opened one, grouped by date.

    The page shows the newest reply of the opened one, unless it is a page of earlier turns: the
    reply is not new any more. Without a database, there are no conversations: an error page with a
    sidebar must still be displayed.
    """
    if not (person_id := person()):
        return []
    recent: Sequence[RecentConversation] = ()
    with suppress(DatabaseUnavailable):
        recent = portal().conversations.list_recent(person_id, twin_permissions(), opened)
        for conversation in recent if "before" not in request.args else ():
            if opened and opened.id == conversation.id and conversation.newest_reply == "unread":
                portal().conversations.mark_seen(opened.id, conversation.newest_position)
    return group_by_date(recent)


def sidebar_row(conversation: RecentConversation, avatar_url: str, *, is_current: bool) -> Markup:
    """Return the HTML of a row; `avatar_url` is the image of the twin, or ""."""
    # With `flask --debug`, templates may change.
    render = _render_row.__wrapped__ if current_app.debug else _render_row
    return render(
        (conversation.id, conversation.title, conversation.twin_id, conversation.twin_name),
        conversation.updated_at,
        "" if is_current else conversation.newest_reply,
        # What the row takes from the page around it.
        (
            avatar_url,
            str(current_locale()),
            str(to_local_time(0).tzinfo),
            request.script_root,
            asset_url("icons.svg"),
        ),
        is_current=is_current,
    )


@lru_cache(maxsize=MAX_RENDERED_ROWS)
def _render_row(
    conversation: tuple[str, str, str, str],
    updated_at: float,
    newest_reply: str,
    _page: tuple[str, ...],
    *,
    is_current: bool,
) -> Markup:
    id_, title, twin_id, twin_name = conversation
    html = render_template(
        "conversations/_recent_row.html",
        id=id_,
        title=title,
        twin_id=twin_id,
        twin_name=twin_name,
        time=exact_time(updated_at),
        is_current=is_current,
        newest_reply=newest_reply,
    )
    return Markup(html)  # noqa: S704
