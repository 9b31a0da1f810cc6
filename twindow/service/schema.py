"""Tables of the service. The service and the portal share no tables, only the interface."""

from sqlalchemy import (
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

from twindow.core.db.counters import counter_table
from twindow.core.db.metadata import metadata

api_keys = Table(
    "service_keys",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("sub", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("scope", String(16), nullable=False),
    Column("digest", String(64), nullable=False, unique=True),
    Column("created_at", Float, nullable=False),
    Column("expires_at", Float),
    Column("last_used_at", Float),
    # Revoked keys count towards the owner's limit for another hour: otherwise revoking and
    # creating keys would give an unlimited hourly quota.
    Column("revoked_at", Float),
    # JSON list of the names of the owner's groups.
    Column("groups", Text, nullable=False, server_default="[]"),
    Index("service_keys_of_sub", "sub"),
)

# Requests of API keys in an hour.
counters = counter_table("service_counters")

conversations = Table(
    "service_conversations",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("sub", Text, nullable=False),
    Column("twin_id", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("created_at", Float, nullable=False),
    Column("updated_at", Float, nullable=False),
    # Expiry of the lease of the running reply: after a crash, the lease expires by itself.
    Column("lease_expires_at", Float, nullable=False),
    # Message that the running or last reply answers. Stop requests name this message.
    Column("lease_message_id", String(32)),
    # Id of the lease: the holder of an expired lease must not act on the next one. None if free.
    Column("lease_id", String(32)),
    # Whether a stop of the running reply was requested. The process that writes it polls this.
    Column("stop_requested", Boolean, nullable=False, server_default=false()),
    Index("service_conversations_of_sub", "sub", "created_at"),
    Index("service_conversations_by_lease_message", "lease_message_id"),
    Index("service_conversations_by_lease", "lease_id"),
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
    # False for a reply that was stopped or interrupted.
    Column("complete", Boolean, nullable=False, server_default=true()),
    # True for a reply that ended at the model's token limit.
    Column("cut_off", Boolean, nullable=False, server_default=false()),
    # These columns are set only for replies, and only if the model server reports the usage.
    Column("input_tokens", Integer),
    Column("output_tokens", Integer),
    Column("model", Text),
    # JSON list of the passages that a reply quotes, cites or offers.
    Column("sources", Text, nullable=False, server_default="[]"),
    UniqueConstraint("conversation_id", "position"),
    Index("service_messages_by_reply_to", "reply_to"),
)

# Idempotency keys (header Idempotency-Key) and the messages that were sent with them. Each key is
# stored as an HMAC.
idempotency_keys = Table(
    "service_idempotency_keys",
    metadata,
    Column("sub", Text, primary_key=True),
    Column("key", String(255), primary_key=True),
    Column("message_id", ForeignKey("service_messages.id", ondelete="CASCADE"), nullable=False),
    Column("created_at", Float, nullable=False, index=True),
)

# What is copied to another database. Each table is after those that it refers to.
TABLES = (api_keys, counters, conversations, messages, idempotency_keys)
