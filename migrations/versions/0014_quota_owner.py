"""Add the owner of the quota that a turn uses."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Add the column."""
    owner = sa.Column("quota_owner", sa.String(64), nullable=False, server_default="")
    op.add_column("turns", owner)
