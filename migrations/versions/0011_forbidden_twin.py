"""Share the last forbidden twin of a key among processes."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Add the column of the twin."""
    op.add_column("allowances", sa.Column("forbidden_twin", sa.Text))
