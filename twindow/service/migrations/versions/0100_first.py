"""Create the tables of the service."""

import sqlalchemy as sa
from alembic import op

revision = "0100"
down_revision = None


def upgrade() -> None:
    """Create everything."""
    op.create_table(
        "service_conversations",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("sub", sa.Text, nullable=False),
        sa.Column("twin_id", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("created_at", sa.Float, nullable=False),
        sa.Column("updated_at", sa.Float, nullable=False),
        sa.Column("lease_expires_at", sa.Float, nullable=False),
        sa.Column("lease_message_id", sa.String(32)),
        sa.Column("lease_id", sa.String(32)),
        sa.Column("stop_requested", sa.Boolean, server_default=sa.false(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("service_conversations_by_lease", "service_conversations", ["lease_id"])
    op.create_index(
        "service_conversations_by_lease_message", "service_conversations", ["lease_message_id"]
    )
    op.create_index("service_conversations_of_sub", "service_conversations", ["sub", "created_at"])
    op.create_table(
        "service_keys",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("sub", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("scope", sa.String(16), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("created_at", sa.Float, nullable=False),
        sa.Column("expires_at", sa.Float),
        sa.Column("last_used_at", sa.Float),
        sa.Column("revoked_at", sa.Float),
        sa.Column("groups", sa.Text, server_default="[]", nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("digest"),
    )
    op.create_index("service_keys_of_sub", "service_keys", ["sub"])
    op.create_table(
        "service_messages",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("conversation_id", sa.String(32), nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("reply_to", sa.String(32)),
        sa.Column("created_at", sa.Float, nullable=False),
        sa.Column("complete", sa.Boolean, server_default=sa.true(), nullable=False),
        sa.Column("cut_off", sa.Boolean, server_default=sa.false(), nullable=False),
        sa.Column("input_tokens", sa.Integer),
        sa.Column("output_tokens", sa.Integer),
        sa.Column("model", sa.Text),
        sa.Column("sources", sa.Text, nullable=False, server_default="[]"),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["service_conversations.id"], ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("conversation_id", "position"),
    )
    op.create_index("service_messages_by_reply_to", "service_messages", ["reply_to"])
    op.create_table(
        "service_counters",
        sa.Column("scope", sa.String(24), nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("seconds", sa.Integer, nullable=False),
        sa.Column("ends_at", sa.Integer, nullable=False),
        sa.Column("used", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("scope", "subject", "seconds", "ends_at"),
    )
    op.create_index("service_counters_by_end", "service_counters", ["ends_at"])
    op.create_table(
        "service_idempotency_keys",
        sa.Column("sub", sa.Text, nullable=False),
        sa.Column("key", sa.String(255), nullable=False),
        sa.Column("message_id", sa.String(32), nullable=False),
        sa.Column("created_at", sa.Float, nullable=False),
        sa.ForeignKeyConstraint(["message_id"], ["service_messages.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("sub", "key"),
    )
    op.create_index(
        "ix_service_idempotency_keys_created_at", "service_idempotency_keys", ["created_at"]
    )
