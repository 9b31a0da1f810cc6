"""Add the idempotency key that the portal sends to the service with a message and its retries."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add the key; for each existing turn, the key is the id of the turn."""
    op.add_column("turns", sa.Column("once", sa.String(32), nullable=False, server_default=""))
    op.execute("UPDATE turns SET once = id")
