"""Helpers that read the list of conversations and backdate its rows."""

from __future__ import annotations

from sqlalchemy import update

from tests.support.person import Page
from twindow.chat.schema import conversations
from twindow.web.container import Portal


def date_groups(page: Page) -> list[tuple[str, list[str]]]:
    return [
        (heading.get_text(), [a.get_text() for a in rows.select(":scope > li > a")])
        for heading, rows in zip(
            page.html.select("#search-results h2"), page.html.select(".rows"), strict=True
        )
    ]


def listed_titles(page: Page) -> list[str]:
    return [a.get_text() for a in page.html.select(".rows > li > a")]


def backdate(portal: Portal, page: Page, days: float, column: str = "updated_at") -> None:
    """Set a time column of the conversation to `days` days ago."""
    condition = conversations.c.id == page.path.rsplit("/", 1)[1]
    with portal.database.write() as connection:
        values = {column: portal.database.now(connection) - days * 86_400}
        connection.execute(update(conversations).where(condition).values(values))
