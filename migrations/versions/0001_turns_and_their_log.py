"""Create conversations, turns, reply logs and sessions."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create the first tables."""
    op.create_table(
        "conversations",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("person", sa.String(64), nullable=False),
        sa.Column("twin_id", sa.Text, nullable=False),
        sa.Column("twin_name", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("service_id", sa.Text),
        sa.Column("created_at", sa.Float, nullable=False),
        sa.Column("updated_at", sa.Float, nullable=False),
    )
    op.create_index("conversations_of_person", "conversations", ["person", "updated_at"])
    op.create_table(
        "producers",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("seen_at", sa.Float, nullable=False),
    )
    op.create_table(
        "turns",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column(
            "conversation_id",
            sa.String(32),
            sa.ForeignKey("conversations.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("press", sa.String(64), nullable=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("producer", sa.String(32), nullable=False),
        sa.Column("created_at", sa.Float, nullable=False),
        sa.UniqueConstraint("conversation_id", "position"),
        sa.UniqueConstraint("press", name="one_turn_per_press"),
    )
    op.create_table(
        "entries",
        sa.Column(
            "turn_id",
            sa.String(32),
            sa.ForeignKey("turns.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("seq", sa.Integer, primary_key=True),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("data", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "sessions",
        sa.Column("key", sa.String(128), primary_key=True),
        sa.Column("data", sa.LargeBinary, nullable=False),
        sa.Column("expires_at", sa.Float, nullable=False, index=True),
    )
