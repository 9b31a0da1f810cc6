"""Store, for each API key, the twin of the last message that the service rejected with 403."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Add the column for the id of the twin."""
    op.add_column("allowances", sa.Column("forbidden_twin", sa.Text))
