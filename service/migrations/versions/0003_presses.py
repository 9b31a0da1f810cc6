"""Add idempotency keys and stop requests."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the table and the column."""
    op.add_column(
        "service_conversations",
        sa.Column("stopping", sa.Boolean, nullable=False, server_default=sa.false()),
    )
    op.create_index("service_messages_by_reply_to", "service_messages", ["reply_to"])
    op.create_table(
        "service_presses",
        sa.Column("sub", sa.Text, primary_key=True),
        sa.Column("key", sa.String(255), primary_key=True),
        sa.Column(
            "message_id",
            sa.String(32),
            sa.ForeignKey("service_messages.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("at", sa.Float, nullable=False, index=True),
    )
