"""The portal's tables. The constraints do the locking."""

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
    true,
)

from core.database import metadata

conversations = Table(
    "conversations",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("person", String(64), nullable=False),
    Column("twin_id", Text, nullable=False),
    Column("twin_name", Text, nullable=False),
    Column("title", Text, nullable=False),
    # The service's own id; none until the service has been asked for the first time.
    Column("service_id", Text),
    Column("created_at", Float, nullable=False),
    Column("updated_at", Float, nullable=False),
    Column("pinned", Boolean, nullable=False, server_default=false()),
    Column("archived", Boolean, nullable=False, server_default=false()),
    # Deleted is gone for everybody; until it is purged it can be brought back.
    Column("deleted_at", Float),
    Index("conversations_listed", "person", "archived", "pinned", "updated_at", "id"),
    Index("conversations_deleted", "deleted_at"),
)

producers = Table(
    "producers",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("beat", Integer, nullable=False),
)

# Whoever inserts the turn is its producer: the row is the claim, and there can be one only.
# When the reply has ended, the claim is empty.
turns = Table(
    "turns",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("conversation_id", ForeignKey("conversations.id", ondelete="CASCADE"), nullable=False),
    Column("position", Integer, nullable=False),
    Column("press", String(64), nullable=False),
    Column("content", Text, nullable=False),
    Column("producer", String(32), nullable=False),
    Column("created_at", Float, nullable=False),
    # The id of the first turn of those that repeat each other: to the service they are one message.
    Column("once", String(32), nullable=False, server_default=""),
    # Whether it costs one of the hour's requests; what the service never received does not.
    Column("charged", Boolean, nullable=False, server_default=true()),
    UniqueConstraint("conversation_id", "position"),
    UniqueConstraint("press", name="one_turn_per_press"),
    Index("turns_of_producer", "producer"),
    Index("turns_by_time", "created_at"),
    Index("turns_of_conversation_by_time", "conversation_id", "created_at"),
)

entries = Table(
    "entries",
    metadata,
    Column("turn_id", ForeignKey("turns.id", ondelete="CASCADE"), primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("kind", String(16), nullable=False),
    Column("data", LargeBinary, nullable=False),
)

# What can be searched: the title of a conversation (then there is no turn), what was said, a reply.
# On PostgreSQL the words are a tsvector; on SQLite the table `passages_index` (FTS5) follows them.
passages = Table(
    "passages",
    metadata,
    Column("id", Integer, primary_key=True),
    Column(
        "conversation_id",
        ForeignKey("conversations.id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    ),
    Column("turn_id", ForeignKey("turns.id", ondelete="CASCADE"), index=True),
    Column("kind", String(8), nullable=False),
    Column("words", Text, nullable=False),
)

# What the service said last of a key. Of the key itself only a hash stands here.
allowances = Table(
    "allowances",
    metadata,
    Column("key", String(64), primary_key=True),
    Column("request_limit", Integer),
    Column("remaining", Integer),
    Column("resets_at", Float),
    Column("window", Float),
    Column("heard_at", Float),
    Column("refusals", Integer, nullable=False, server_default="0"),
    Column("refused_until", Float, nullable=False, server_default="0"),
    Column("forbidden_until", Float, nullable=False, server_default="0"),
)

# One row: the list of twins, for all processes.
kept_twins = Table(
    "kept_twins",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("data", LargeBinary, nullable=False),
    Column("listed_at", Float, nullable=False),
)

# Avatars, for all processes. `type` is null while the first one fetches, "" where there is none.
pictures = Table(
    "pictures",
    metadata,
    Column("name", String(32), primary_key=True),
    Column("type", String(16)),
    Column("content", LargeBinary),
    Column("size", Integer, nullable=False, server_default="0"),
    # When it may be asked for again: also the claim of whoever asks now.
    Column("next_at", Float, nullable=False),
)

sessions = Table(
    "sessions",
    metadata,
    Column("key", String(128), primary_key=True),
    Column("data", LargeBinary, nullable=False),
    Column("expires_at", Float, nullable=False, index=True),
)
