"""The service's own tables. It shares nothing with the portal but the interface."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
    true,
)

from core.database import metadata

# Each request has one: 2^31 would be over in years.
_BigId = BigInteger().with_variant(Integer, "sqlite")

api_keys = Table(
    "service_keys",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("sub", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("scope", String(16), nullable=False),
    Column("prefix", String(16), nullable=False, index=True),
    Column("digest", String(64), nullable=False),
    Column("created_at", Float, nullable=False),
    Column("expires_at", Float),
    Column("last_used_at", Float),
    # Counted among the keys of its owner for an hour more, or hours could be had for nothing.
    Column("revoked_at", Float),
    # Names, as JSON: the groups that its owner was in when it was made.
    Column("groups", Text, nullable=False, server_default="[]"),
    Index("service_keys_of_sub", "sub"),
)

key_requests = Table(
    "service_requests",
    metadata,
    Column("id", _BigId, primary_key=True),
    Column("key_id", ForeignKey("service_keys.id", ondelete="CASCADE"), nullable=False),
    Column("at", Float, nullable=False),
    Index("service_requests_of_key", "key_id", "at"),
)

conversations = Table(
    "service_conversations",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("sub", Text, nullable=False),
    Column("twin_id", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("created_at", Float, nullable=False),
    Column("updated_at", Float, nullable=False),
    # Until when a reply is surely being written: a lease, so that a crash frees it by itself.
    Column("replying_until", Float, nullable=False),
    # Which message is being replied to: a late end must not take another reply's lease.
    Column("replying_to", String(32)),
    # Who holds the lease: one that lapsed must not act for the next. None when it is over.
    Column("replying_by", String(32)),
    # Whether somebody wants that reply to stop; whoever writes it looks here.
    Column("stopping", Boolean, nullable=False, server_default=false()),
    Index("service_conversations_of_sub", "sub", "updated_at"),
    Index("service_conversations_by_reply", "replying_to"),
    Index("service_conversations_by_holder", "replying_by"),
)

messages = Table(
    "service_messages",
    metadata,
    Column("id", String(32), primary_key=True),
    Column(
        "conversation_id",
        ForeignKey("service_conversations.id", ondelete="CASCADE"),
        nullable=False,
    ),
    Column("position", Integer, nullable=False),
    Column("role", String(16), nullable=False),
    Column("content", Text, nullable=False),
    Column("reply_to", String(32)),
    Column("created_at", Float, nullable=False),
    # False for a reply that was stopped, or that broke off, before its end.
    Column("complete", Boolean, nullable=False, server_default=true()),
    UniqueConstraint("conversation_id", "position"),
    Index("service_messages_by_reply_to", "reply_to"),
)

# Presses of a button that carried a key (Idempotency-Key), and the messages that came of them.
idempotency_keys = Table(
    "service_presses",
    metadata,
    Column("sub", Text, primary_key=True),
    Column("key", String(255), primary_key=True),
    Column("message_id", ForeignKey("service_messages.id", ondelete="CASCADE"), nullable=False),
    Column("at", Float, nullable=False, index=True),
)

# Replies that wait for a place before the model, or have one, in all processes.
queue_entries = Table(
    "service_line",
    metadata,
    Column("id", _BigId, primary_key=True),
    Column("owner", Text, nullable=False),
    Column("round", Integer, nullable=False),
    Column("behind", Boolean, nullable=False),
    Column("writing", Boolean, nullable=False),
    # A lease, by the clock of the database.
    Column("until", Float, nullable=False),
    # Ids must not come behind: a process would take another's guest for its own.
    sqlite_autoincrement=True,
)
