"""Conversations of people: finding, listing and changing them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any, Literal

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    CompoundSelect,
    Integer,
    Row,
    Select,
    bindparam,
    func,
    select,
    true,
    union_all,
    update,
)

from twindow.chat.schema import conversations as table
from twindow.chat.schema import turns
from twindow.chat.titles import make_title
from twindow.chat.turns import IS_SHOWN
from twindow.core.db.database import Database
from twindow.core.db.errors import DatabaseUnavailable
from twindow.core.text_folding import is_visible, join_terms
from twindow.core.twin_groups import EVERY_TWIN, TwinPermissions

PAGE_SIZE = 20
# The sidebar lists as many conversations. The first number only limits the size of pages.
MAX_RECENT_PINNED = 100
MAX_RECENT = 20
MAX_TITLE_CHARACTERS = 200  # as in templates/conversations/_menu.html


class ConversationNotFound(Exception):
    """Raised when a person has no such conversation, or has deleted it."""


class RecentlyDeleted(Exception):
    """Raised for a conversation that its owner has deleted and can still restore."""

    def __init__(self, conversation: Conversation) -> None:
        super().__init__(conversation.id)
        self.conversation = conversation


@dataclass(frozen=True, slots=True)
class Conversation:
    """Conversation of one person with one twin. Times are in seconds since 1970.

    `delete_url` is the URL at which DELETE deletes the conversation at the service.
    """

    id: str
    person: str
    twin_id: str
    twin_name: str
    title: str
    service_id: str | None
    created_at: float
    updated_at: float
    pinned: bool = False
    archived: bool = False
    deleted_at: float | None = None
    delete_url: str = ""


@dataclass(frozen=True, slots=True)
class RecentConversation(Conversation):
    """Conversation in the sidebar: the newest turn, and the newest whose reply was shown.

    Both are positions; `is_running` is about the reply to the newest turn.
    """

    seen_position: int = 0
    newest_position: int = 0
    is_running: bool = False

    @property
    def newest_reply(self) -> Literal["running", "unread", ""]:
        """Return "unread" for a reply that has ended, and that no page has shown."""
        if self.is_running:
            return "running"
        return "unread" if self.newest_position > self.seen_position else ""


@dataclass(frozen=True, slots=True)
class ConversationPage:
    """Page of a list. `number` counts from 1; `total` is the number of all conversations."""

    items: Sequence[Conversation]
    number: int
    pages: int
    total: int


class Conversations:
    """Repository of conversations, except for creation and deletion."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def find(self, conversation_id: str, person: str) -> Conversation | None:
        """Return the conversation, or None if it is missing, deleted or somebody else's."""
        parameters = {"conversation_id": conversation_id, "person": person}
        with self.database.read() as connection:
            return conversation_from_row(connection.execute(_SELECT_ONE, parameters).first())

    def list_for_person(
        self,
        person: str,
        *,
        twin_id: str | None = None,
        archived: bool = False,
        page: int = 1,
        permissions: TwinPermissions = EVERY_TWIN,
    ) -> ConversationPage:
        """Return one page of a person's conversations, pinned ones first, then newest first.

        Lists only conversations with twins that `permissions` allow. A page has `PAGE_SIZE` items;
        a number beyond the last page returns the last page.
        """
        page_query, count_query = _list_queries(permissions, is_for_twin=bool(twin_id))
        parameters = {
            "person": person,
            "archived": archived,
            "twin_id": twin_id,
            "limit": PAGE_SIZE,
        }
        with self.database.read() as connection:
            items = (
                conversations_from_rows(connection.execute(page_query, parameters | {"offset": 0}))
                if page <= 1
                else ()
            )
            if page <= 1 and len(items) < PAGE_SIZE:
                return ConversationPage(items, 1, 1, len(items))
            total = connection.execute(count_query, parameters).scalar_one()
            pages = max(1, -(-total // PAGE_SIZE))
            page = min(max(1, page), pages)
            if not items:
                parameters["offset"] = (page - 1) * PAGE_SIZE
                items = conversations_from_rows(connection.execute(page_query, parameters))
            return ConversationPage(items, page, pages, total)

    def list_recent(
        self,
        person: str,
        permissions: TwinPermissions = EVERY_TWIN,
        opened: Conversation | None = None,
    ) -> Sequence[RecentConversation]:
        """Return the newest conversations, pinned ones first, then newest first.

        Returns at most `MAX_RECENT_PINNED` pinned and `MAX_RECENT` other conversations, and the
        conversation `opened`, which may be older or archived.
        """
        with self.database.read() as connection:
            rows = connection.execute(_recent_query(permissions), {"person": person})
            items = [RecentConversation(**row._mapping) for row in rows]
        if opened and opened.id not in {c.id for c in items}:
            items.append(RecentConversation(**asdict(opened)))
        return sorted(items, key=lambda c: (c.pinned, c.updated_at, c.id), reverse=True)

    def list_twin_ids(self, person: str) -> Sequence[str]:
        """Return the ids of a person's twins, the most recently used first."""
        is_listed = (table.c.person == person) & table.c.deleted_at.is_(None)
        query = select(table.c.twin_id).where(is_listed).group_by(table.c.twin_id)
        with self.database.read() as connection:
            return connection.scalars(query.order_by(func.max(table.c.updated_at).desc())).all()

    def mark_seen(self, conversation_id: str, position: int) -> None:
        """Store that a page has shown the reply of the turn at this position.

        While the database is unavailable, this does nothing: the reply stays marked as new.
        """
        is_older = (table.c.id == conversation_id) & (table.c.seen_position < position)
        with suppress(DatabaseUnavailable), self.database.write() as connection:
            connection.execute(update(table).where(is_older).values(seen_position=position))

    def set_service_id(self, conversation_id: str, service_id: str, delete_url: str = "") -> str:
        """Store the id that the service gave the conversation, unless an id is stored already.

        `delete_url` is the URL at which DELETE deletes the conversation at the service.

        Returns the stored id, which is the first one that was set.
        """
        condition = table.c.id == conversation_id
        is_unset = condition & table.c.service_id.is_(None)
        with self.database.write() as connection:
            values = {"service_id": service_id, "delete_url": delete_url}
            connection.execute(update(table).where(is_unset).values(values))
            return str(connection.execute(select(table.c.service_id).where(condition)).scalar_one())

    def rename(self, conversation: Conversation, title: str) -> None:
        """Change the title. A blank title restores the one made from the first message."""
        title = " ".join(title.replace("\0", " ").split())[:MAX_TITLE_CHARACTERS].rstrip()
        is_first_turn = (turns.c.conversation_id == conversation.id) & (turns.c.slot == 1)
        is_first_turn &= IS_SHOWN
        with self.database.write() as connection:
            if not is_visible(title):
                content = connection.execute(
                    select(turns.c.content).where(is_first_turn)
                ).scalar_one()
                title = make_title(content)
            condition = owned_by(conversation.id, conversation.person)
            values = {"title": title, "title_terms": join_terms(title)}
            connection.execute(update(table).where(condition).values(values))

    def set_pinned(self, conversation: Conversation, *, pinned: bool) -> None:
        """Pin or unpin a conversation. Pinning also unarchives the conversation."""
        self._update(conversation, {"pinned": pinned} | ({"archived": False} if pinned else {}))

    def set_archived(self, conversation: Conversation, *, archived: bool) -> None:
        """Archive or unarchive a conversation. A pinned conversation stays pinned."""
        self._update(conversation, {"archived": archived})

    def _update(self, conversation: Conversation, values: dict[str, bool]) -> None:
        condition = owned_by(conversation.id, conversation.person)
        with self.database.write() as connection:
            connection.execute(update(table).where(condition).values(values))


def select_conversations(condition: ColumnElement[bool]) -> Select[Any]:
    """Return the query of the conversations that fulfil a condition."""
    return select(*table.c[*Conversation.__dataclass_fields__]).where(condition)


def permitted_by(permissions: TwinPermissions) -> ColumnElement[bool]:
    """Return the condition that a conversation is with a twin that the person may use."""
    if permissions.is_unlimited:
        return true()
    ids = sorted(permissions.twin_ids)
    return table.c.twin_id.not_in(ids) if permissions.is_exclusion else table.c.twin_id.in_(ids)


def conversation_from_row(row: Row[Any] | None) -> Conversation | None:
    """Convert a row of `select_conversations`; None stays None."""
    return Conversation(**row._mapping) if row else None


def conversations_from_rows(rows: Iterable[Row[Any]]) -> list[Conversation]:
    """Convert the rows of `select_conversations`."""
    return [Conversation(**row._mapping) for row in rows]


def owned_by(
    conversation_id: str | BindParameter[str], person: str | BindParameter[str]
) -> ColumnElement[bool]:
    """Return the condition that a conversation is this person's and not deleted."""
    condition = (table.c.id == conversation_id) & (table.c.person == person)
    return condition & table.c.deleted_at.is_(None)


def _is_listed(
    permissions: TwinPermissions, *, archived: bool | BindParameter[bool]
) -> ColumnElement[bool]:
    condition = (table.c.person == bindparam("person")) & (table.c.archived == archived)
    return condition & table.c.deleted_at.is_(None) & permitted_by(permissions)


def _select_in_order(condition: ColumnElement[bool]) -> Select[tuple[object, ...]]:
    sort_columns = table.c.pinned.desc(), table.c.updated_at.desc(), table.c.id.desc()
    return select_conversations(condition).order_by(*sort_columns)


# Queries are built once, because building a query takes longer than executing it.
_SELECT_ONE = select_conversations(owned_by(bindparam("conversation_id"), bindparam("person")))


@lru_cache(64)
def _list_queries(
    permissions: TwinPermissions, *, is_for_twin: bool
) -> tuple[Select[Any], Select[Any]]:
    """Return the queries of one page of a list, and of the number of all its rows."""
    condition = _is_listed(permissions, archived=bindparam("archived"))
    if is_for_twin:
        condition &= table.c.twin_id == bindparam("twin_id")
    limit, offset = bindparam("limit", type_=Integer), bindparam("offset", type_=Integer)
    page_query = _select_in_order(condition).limit(limit).offset(offset)
    return page_query, select(func.count()).where(condition)


@lru_cache(64)
def _recent_query(permissions: TwinPermissions) -> CompoundSelect[Any]:
    """Return the query of `Conversations.list_recent`.

    Without restricted twins, its cost depends on the limits only, not on the history.
    """
    listed = _is_listed(permissions, archived=False)
    groups = ((True, MAX_RECENT_PINNED), (False, MAX_RECENT))
    newest_position = select(func.max(turns.c.position))
    newest_position = newest_position.where(turns.c.conversation_id == table.c.id)
    running = select(turns.c.conversation_id).where(turns.c.worker > "")
    columns = (
        table.c.seen_position,
        newest_position.scalar_subquery().label("newest_position"),
        table.c.id.in_(running).label("is_running"),
    )
    newest = [
        _select_in_order(listed & table.c.pinned.is_(is_pinned))
        .add_columns(*columns)
        .limit(limit)
        .subquery()
        for is_pinned, limit in groups
    ]
    return union_all(*map(select, newest))
