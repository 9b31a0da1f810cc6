"""Add pinned, archived and deleted conversations, and the search index."""

from collections.abc import Iterator
from typing import Any

import msgspec
import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from migrations import search_index_0007 as search_index

revision = "0007"
down_revision = "0006"

BATCH = 100

INDEX = """CREATE VIRTUAL TABLE passages_index USING fts5(
    words, content='passages', content_rowid='id', detail=none, prefix='2 3',
    tokenize="ascii tokenchars '='"
)"""
TRIGGERS = (
    """CREATE TRIGGER passage_added AFTER INSERT ON passages BEGIN
        INSERT INTO passages_index (rowid, words) VALUES (new.id, new.words);
    END""",
    """CREATE TRIGGER passage_removed AFTER DELETE ON passages BEGIN
        INSERT INTO passages_index (passages_index, rowid, words)
        VALUES ('delete', old.id, old.words);
    END""",
)
TURNS = """SELECT t.id, t.created_at, t.position, t.content, t.conversation_id, c.person, c.title
    FROM turns t JOIN conversations c ON c.id = t.conversation_id
    WHERE (t.created_at, t.id) > (:created_at, :id) ORDER BY t.created_at, t.id LIMIT :limit"""

ENDS = "SELECT turn_id, data FROM entries WHERE kind = 'ended' AND turn_id IN :ids"


class _Ended(msgspec.Struct):
    text: str = ""


def upgrade() -> None:
    """Add the columns and tables, and index all existing turns."""
    sqlite = op.get_bind().dialect.name == "sqlite"
    for name in ("pinned", "archived"):
        column = sa.Column(name, sa.Boolean, nullable=False, server_default=sa.false())
        op.add_column("conversations", column)
    op.add_column("conversations", sa.Column("deleted_at", sa.Float))
    listed = ["person", "archived", "pinned", "updated_at", "id"]
    op.create_index("conversations_listed", "conversations", listed)
    op.create_index("conversations_deleted", "conversations", ["deleted_at"])
    op.drop_index("conversations_of_person", "conversations")
    words = sa.Text() if sqlite else postgresql.TSVECTOR()
    op.create_table(
        "passages",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column(
            "conversation_id",
            sa.String(32),
            sa.ForeignKey("conversations.id", ondelete="CASCADE"),
            nullable=False,
            index=True,
        ),
        sa.Column(
            "turn_id", sa.String(32), sa.ForeignKey("turns.id", ondelete="CASCADE"), index=True
        ),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("words", words, nullable=False),
    )
    _index_turns(op.get_bind())
    if sqlite:
        op.execute(INDEX)
        op.execute("INSERT INTO passages_index (passages_index) VALUES ('rebuild')")
        for trigger in TRIGGERS:
            op.execute(trigger)
    else:
        op.execute("CREATE INDEX passages_words ON passages USING gin (words)")


def _index_turns(connection: sa.Connection) -> None:
    """Index all turns in the order of their creation, a hundred at a time."""
    ends = sa.text(ENDS).bindparams(sa.bindparam("ids", expanding=True))
    decode = msgspec.json.Decoder(_Ended).decode
    last = {"created_at": -1.0, "id": ""}
    while turns := connection.execute(sa.text(TURNS), {**last, "limit": BATCH}).all():
        found = connection.execute(ends, {"ids": [turn.id for turn in turns]})
        replies = {turn_id: decode(data).text for turn_id, data in found}
        search_index.insert_rows(
            connection,
            (row for turn in turns for row in _index_rows(turn, replies.get(turn.id, ""))),
        )
        last = {"created_at": turns[-1].created_at, "id": turns[-1].id}


def _index_rows(turn: sa.Row[Any], reply: str) -> Iterator[search_index.Row]:
    place = turn.person, turn.conversation_id
    if turn.position == 1:
        yield from search_index.make_rows(*place, None, "title", turn.title)
    yield from search_index.make_rows(*place, turn.id, "said", turn.content)
    if reply:
        yield from search_index.make_rows(*place, turn.id, "reply", reply)
