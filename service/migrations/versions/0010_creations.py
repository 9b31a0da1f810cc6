"""Add the idempotency keys of conversations and API keys."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "service_creations",
        sa.Column("sub", sa.Text, primary_key=True),
        sa.Column("operation", sa.String(32), primary_key=True),
        sa.Column("key", sa.String(255), primary_key=True),
        sa.Column("request", sa.String(64), nullable=False),
        sa.Column("resource_id", sa.String(32), nullable=False),
        sa.Column("at", sa.Float, nullable=False, index=True),
    )
