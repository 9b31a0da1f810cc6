"""Tables of the portal. Constraints replace locks."""

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
)

from twindow.core.db.counters import counter_table
from twindow.core.db.metadata import metadata

conversations = Table(
    "conversations",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("person", String(64), nullable=False),
    Column("twin_id", Text, nullable=False),
    Column("twin_name", Text, nullable=False),
    Column("title", Text, nullable=False),
    # Id at the service; null until the conversation has been created there.
    Column("service_id", Text),
    # URL at which DELETE deletes the conversation at the service; "" if there is none.
    Column("delete_url", Text, nullable=False, server_default=""),
    Column("created_at", Float, nullable=False),
    Column("updated_at", Float, nullable=False),
    Column("pinned", Boolean, nullable=False, server_default=false()),
    Column("archived", Boolean, nullable=False, server_default=false()),
    # A deleted conversation is hidden everywhere; it can be restored until it is purged.
    Column("deleted_at", Float),
    # What the search finds: see `twindow.core.text_folding.join_terms`.
    Column("title_terms", Text, nullable=False),
    # Position of the newest turn whose reply a page has shown.
    Column("seen_position", Integer, nullable=False, server_default="0"),
    Index("conversations_listed", "person", "archived", "pinned", "updated_at", "id"),
    Index("conversations_deleted", "deleted_at"),
)

# Worker processes and their heartbeat counters.
workers = Table(
    "workers",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("heartbeat", Integer, nullable=False),
)

# The process that inserts a turn also writes its reply, so a turn has one worker. `worker` is the
# id of the worker, or "" once the reply has ended.
turns = Table(
    "turns",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("conversation_id", ForeignKey("conversations.id", ondelete="CASCADE"), nullable=False),
    Column("position", Integer, nullable=False),
    # Hash of person, target, idempotency key, content and replaced turn: a double click creates
    # one turn.
    Column("submission", String(64), nullable=False),
    Column("content", Text, nullable=False),
    Column("worker", String(32), nullable=False),
    Column("created_at", Float, nullable=False),
    # Id of the original turn in a chain of resends. It is the idempotency key at the service, so
    # that the service treats all turns of the chain as one message.
    Column("idempotency_key", String(32), nullable=False, server_default=""),
    # What the search finds. They are last, so that SQLite reads the other columns without them.
    Column("message_terms", Text, nullable=False),
    Column("reply_terms", Text, nullable=False, server_default=""),
    # Turns of the same slot are versions, which are numbered from 1. A turn whose reply has ended
    # without text is replaced by the next turn with its number.
    Column("slot", Integer, nullable=False, server_default="0"),
    Column("version", Integer, nullable=False, server_default="1"),
    # Position of the version that was shown in the slot before; 0 in the first slot.
    Column("follows", Integer, nullable=False, server_default="0"),
    UniqueConstraint("conversation_id", "position"),
    UniqueConstraint("submission", name="one_turn_per_submission"),
    Index("turns_of_worker", "worker"),
    Index("turns_of_slot", "conversation_id", "slot", "version", "position", "follows"),
)

entries = Table(
    "entries",
    metadata,
    Column("turn_id", ForeignKey("turns.id", ondelete="CASCADE"), primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("kind", String(16), nullable=False),
    Column("data", LargeBinary, nullable=False),
    # HTML of a finished reply, beside its final entry, and the version of its renderer.
    Column("html", Text),
    Column("html_version", Integer),
)

# What the portal counts: sent messages, forms and failed sign-ins. `subject` is an id or a hash.
counters = counter_table("counters")

# What the service has last said about the limit of an API key. `key` is a hash, not the key itself.
api_quotas = Table(
    "api_quotas",
    metadata,
    Column("key", String(64), primary_key=True),
    Column("request_limit", Integer),
    Column("remaining", Integer),
    Column("resets_at", Float),
    Column("reported_at", Float),
    Column("retry_at", Float),
)

# Cached list of twins in a single row, shared by all processes.
twin_list_cache = Table(
    "twin_list_cache",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("data", LargeBinary, nullable=False),
    Column("listed_at", Float, nullable=False),
)

# What is copied to another database: all tables but the heartbeats. Each table is after those that
# it refers to.
TABLES = (conversations, turns, entries, counters, api_quotas, twin_list_cache)
