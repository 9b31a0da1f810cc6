"""Store the avatars of twins, fetched once for all people and processes."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "pictures",
        sa.Column("name", sa.String(32), primary_key=True),
        sa.Column("type", sa.String(16)),
        sa.Column("content", sa.LargeBinary),
        sa.Column("size", sa.Integer, nullable=False, server_default="0"),
        sa.Column("next_at", sa.Float, nullable=False),
    )
