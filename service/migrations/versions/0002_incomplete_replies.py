"""Mark replies that were stopped or interrupted as incomplete."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the column; existing replies count as complete, because nothing else is known."""
    op.add_column(
        "service_messages",
        sa.Column("complete", sa.Boolean, nullable=False, server_default=sa.true()),
    )
