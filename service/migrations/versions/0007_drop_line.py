"""Drop the queue table: each process has its own queue in memory."""

from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Drop the table."""
    op.drop_table("service_line")
