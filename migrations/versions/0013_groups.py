"""Add the groups of people."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Add the column."""
    op.add_column("people", sa.Column("group_names", sa.Text, nullable=False, server_default=""))
