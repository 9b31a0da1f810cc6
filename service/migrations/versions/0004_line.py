"""Add the queue before the model, shared by all processes."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "service_line",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("round", sa.Integer, nullable=False),
        sa.Column("behind", sa.Boolean, nullable=False),
        sa.Column("writing", sa.Boolean, nullable=False),
        sa.Column("until", sa.Float, nullable=False),
        sqlite_autoincrement=True,
    )
