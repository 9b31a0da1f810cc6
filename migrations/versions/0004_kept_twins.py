"""Cache the last list of twins, for a portal that starts while the service is down."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Create a table of one row."""
    op.create_table(
        "kept_twins",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("data", sa.LargeBinary, nullable=False),
        sa.Column("listed_at", sa.Float, nullable=False),
    )
