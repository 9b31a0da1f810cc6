"""Tell replies that were stopped from those that came to their end."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the mark; of the replies so far nobody knows better."""
    op.add_column(
        "service_messages",
        sa.Column("complete", sa.Boolean, nullable=False, server_default=sa.true()),
    )
