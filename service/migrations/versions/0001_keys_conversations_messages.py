"""Create the tables of keys, counted requests, conversations and messages."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "service_keys",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("sub", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("scope", sa.String(16), nullable=False),
        sa.Column("prefix", sa.String(16), nullable=False, index=True),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("created_at", sa.Float, nullable=False),
    )
    op.create_table(
        "service_requests",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column(
            "key_id",
            sa.String(32),
            sa.ForeignKey("service_keys.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("at", sa.Float, nullable=False),
    )
    op.create_index("service_requests_of_key", "service_requests", ["key_id", "at"])
    op.create_table(
        "service_conversations",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("sub", sa.Text, nullable=False),
        sa.Column("twin_id", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("created_at", sa.Float, nullable=False),
        sa.Column("updated_at", sa.Float, nullable=False),
        sa.Column("replying_until", sa.Float, nullable=False),
        sa.Column("replying_to", sa.String(32)),
    )
    op.create_index("service_conversations_of_sub", "service_conversations", ["sub", "updated_at"])
    op.create_table(
        "service_messages",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column(
            "conversation_id",
            sa.String(32),
            sa.ForeignKey("service_conversations.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("reply_to", sa.String(32)),
        sa.Column("created_at", sa.Float, nullable=False),
        sa.UniqueConstraint("conversation_id", "position"),
    )
