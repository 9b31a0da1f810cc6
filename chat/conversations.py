"""People's conversations. Each is found through the person it belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Integer,
    Row,
    Select,
    bindparam,
    func,
    select,
    update,
)

from chat import search_index
from chat.schema import conversations as table
from chat.schema import turns
from core.database import Database

PAGE_SIZE = 20
# A title that nobody has chosen has no more characters.
FIRST_WORDS = 60
TITLE_LIMIT = 200


class Gone(Exception):
    """Raised when a conversation was deleted meanwhile."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation of one person with one twin. Times are seconds since 1970."""

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


@dataclass(frozen=True, slots=True)
class Page:
    """Some of a list: its items, the number of the page from 1, and how many pages there are."""

    items: Sequence[Conversation]
    number: int
    pages: int
    total: int


class Conversations:
    """Find, list and arrange conversations."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def find(self, conversation_id: str, person: str) -> Conversation | None:
        """Return the person's conversation, or None: what is not theirs does not exist."""
        which = {"which": conversation_id, "whose": person}
        with self.database.read() as connection:
            return conversation_of(connection.execute(_FOUND, which).first())

    def of_person(
        self, person: str, *, twin_id: str | None = None, archived: bool = False, page: int = 1
    ) -> Page:
        """List a person's conversations, pinned ones first, then newest first, 20 a page.

        A page too far is the last.
        """
        rows, count = _OF_TWIN if twin_id else _OF_ALL
        which = {"whose": person, "archived": archived, "twin": twin_id, "limit": PAGE_SIZE}
        with self.database.read() as connection:
            found = _all(connection.execute(rows, which | {"skip": 0})) if page <= 1 else ()
            if page <= 1 and len(found) < PAGE_SIZE:
                return Page(found, 1, 1, len(found))
            total = connection.execute(count, which).scalar_one()
            pages = max(1, -(-total // PAGE_SIZE))
            page = min(max(1, page), pages)
            if not found:
                which["skip"] = (page - 1) * PAGE_SIZE
                found = _all(connection.execute(rows, which))
            return Page(found, page, pages, total)

    def newest(self, person: str, limit: int) -> Sequence[Conversation]:
        """Return the first of a person's conversations, as they are listed."""
        which = {"whose": person, "archived": False, "limit": limit, "skip": 0}
        with self.database.read() as connection:
            return _all(connection.execute(_OF_ALL.rows, which))

    def is_newest(self, conversation: Conversation) -> bool:
        """Tell whether it is the first of those that are pinned as it is, or are not."""
        later = _listed(conversation.person, archived=False)
        later &= table.c.pinned.is_(conversation.pinned)
        later &= table.c.updated_at > conversation.updated_at
        with self.database.read() as connection:
            return connection.execute(select(table.c.id).where(later).limit(1)).first() is None

    def name(self, conversation_id: str, service_id: str) -> str:
        """Write down what the service calls the conversation; the first name holds, and returns."""
        mine = table.c.id == conversation_id
        nameless = mine & table.c.service_id.is_(None)
        with self.database.write() as connection:
            connection.execute(update(table).where(nameless).values(service_id=service_id))
            return str(connection.execute(select(table.c.service_id).where(mine)).scalar_one())

    def rename(self, conversation: Conversation, title: str) -> None:
        """Give a conversation another title; an empty one brings the first words back."""
        title = " ".join(title.replace("\0", " ").split())[:TITLE_LIMIT].rstrip()
        first = (turns.c.conversation_id == conversation.id) & (turns.c.position == 1)
        with self.database.write() as connection:
            if not title:
                said = connection.execute(select(turns.c.content).where(first)).scalar_one()
                title = title_of(said)
            mine = _own(conversation.id, conversation.person)
            if connection.execute(update(table).where(mine).values(title=title)).rowcount:
                search_index.set_title(connection, conversation.person, conversation.id, title)

    def pin(self, conversation: Conversation, *, pinned: bool) -> None:
        """Keep a conversation above the others, or no longer; a pinned one is not archived."""
        self._set(conversation, {"pinned": pinned} | ({"archived": False} if pinned else {}))

    def archive(self, conversation: Conversation, *, archived: bool) -> None:
        """Put a conversation away, or back into the list, where it is pinned if it was."""
        self._set(conversation, {"archived": archived})

    def _set(self, conversation: Conversation, values: dict[str, bool]) -> None:
        mine = _own(conversation.id, conversation.person)
        with self.database.write() as connection:
            connection.execute(update(table).where(mine).values(values))


def title_of(content: str, limit: int = FIRST_WORDS) -> str:
    """Make a title from the first words of a message."""
    line = " ".join(content.split())
    if len(line) <= limit:
        return line
    return line[: limit - 1].rsplit(" ", 1)[0].rstrip(",;:.-") + "…"


def conversation_of(row: Row[tuple[object, ...]] | None) -> Conversation | None:
    """Read a row of the table."""
    return Conversation(**row._mapping) if row else None


def _own(
    conversation_id: str | BindParameter[str], person: str | BindParameter[str]
) -> ColumnElement[bool]:
    mine = (table.c.id == conversation_id) & (table.c.person == person)
    return mine & table.c.deleted_at.is_(None)


def _listed(
    person: str | BindParameter[str], *, archived: bool | BindParameter[bool]
) -> ColumnElement[bool]:
    mine = (table.c.person == person) & (table.c.archived == archived)
    return mine & table.c.deleted_at.is_(None)


def _in_order(which: ColumnElement[bool]) -> Select[tuple[object, ...]]:
    order = table.c.pinned.desc(), table.c.updated_at.desc(), table.c.id.desc()
    return select(table).where(which).order_by(*order)


def _all(rows: object) -> list[Conversation]:
    return [c for row in rows if (c := conversation_of(row))]  # type: ignore[attr-defined]


class _List(NamedTuple):
    """Two queries: some rows of a list, and how many it has."""

    rows: Select[Any]
    total: Select[Any]

    @classmethod
    def of(cls, mine: ColumnElement[bool]) -> _List:
        limit, skip = bindparam("limit", type_=Integer), bindparam("skip", type_=Integer)
        rows = _in_order(mine).limit(limit).offset(skip)
        return cls(rows, select(func.count()).where(mine))


# Made once: to put a query together takes longer than to ask it.
_FOUND = select(table).where(_own(bindparam("which"), bindparam("whose")))
_MINE = _listed(bindparam("whose"), archived=bindparam("archived"))
_OF_ALL, _OF_TWIN = _List.of(_MINE), _List.of(_MINE & (table.c.twin_id == bindparam("twin")))
