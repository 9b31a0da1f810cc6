"""People's conversations. Each is found through the person it belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Row, func, select, update

from chat.tables import conversations as table
from database import Database

PAGE_SIZE = 20


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


@dataclass(frozen=True, slots=True)
class Page:
    """Some of a list: its items, the number of the page from 1, and how many pages there are."""

    items: Sequence[Conversation]
    number: int
    pages: int
    total: int


class Conversations:
    """Find and list conversations."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def find(self, conversation_id: str, person: str) -> Conversation | None:
        """Return the person's conversation, or None: what is not theirs does not exist."""
        query = select(table).where(table.c.id == conversation_id, table.c.person == person)
        with self.database.read() as connection:
            return _conversation(connection.execute(query).first())

    def of_person(self, person: str, *, twin_id: str | None, q: str, page: int) -> Page:
        """List a person's conversations, newest first, 20 a page; a page too far is the last."""
        mine = table.c.person == person
        if twin_id:
            mine &= table.c.twin_id == twin_id
        if q:
            mine &= table.c.title.icontains(q, autoescape=True)
        with self.database.read() as connection:
            total = connection.execute(select(func.count()).where(mine)).scalar_one()
            pages = max(1, -(-total // PAGE_SIZE))
            page = min(max(1, page), pages)
            query = select(table).where(mine).order_by(table.c.updated_at.desc(), table.c.id)
            found = connection.execute(query.limit(PAGE_SIZE).offset((page - 1) * PAGE_SIZE))
            return Page([c for row in found if (c := _conversation(row))], page, pages, total)

    def name(self, conversation_id: str, service_id: str) -> str:
        """Write down what the service calls the conversation; the first name holds, and returns."""
        mine = table.c.id == conversation_id
        nameless = mine & table.c.service_id.is_(None)
        with self.database.write() as connection:
            connection.execute(update(table).where(nameless).values(service_id=service_id))
            return str(connection.execute(select(table.c.service_id).where(mine)).scalar_one())


def title_of(content: str, limit: int = 60) -> str:
    """Make a title from the first words of a message."""
    line = " ".join(content.split())
    return line if len(line) <= limit else line[: limit - 1].rsplit(" ", 1)[0] + "…"


def _conversation(row: Row[tuple[object, ...]] | None) -> Conversation | None:
    return Conversation(**row._mapping) if row else None
