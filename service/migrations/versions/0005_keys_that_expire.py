"""Add expiry, time of last use, and groups of the owner to keys."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add the columns."""
    op.add_column("service_keys", sa.Column("expires_at", sa.Float))
    op.add_column("service_keys", sa.Column("last_used_at", sa.Float))
    op.add_column("service_keys", sa.Column("groups", sa.Text, nullable=False, server_default="[]"))
    op.create_index("service_keys_of_sub", "service_keys", ["sub"])
