"""Add the newest reply of a conversation that a page has shown."""

import sqlalchemy as sa
from alembic import op

revision = "0103"
down_revision = "0102"


def upgrade() -> None:
    """Add a column. The replies so far have been seen."""
    column = sa.Column("seen_position", sa.Integer, nullable=False, server_default="0")
    op.add_column("conversations", column)
    op.execute(
        "UPDATE conversations SET seen_position = COALESCE("
        "(SELECT MAX(position) FROM turns WHERE conversation_id = conversations.id), 0)"
    )
