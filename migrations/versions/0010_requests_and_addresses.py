"""Count the requests of each turn, and store a hash of the client's IP address."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Replace the flag `charged` by the number of requests."""
    op.add_column("turns", sa.Column("requests", sa.Integer, nullable=False, server_default="1"))
    op.execute("UPDATE turns SET requests = 2 WHERE position = 1")
    op.execute("UPDATE turns SET requests = 0 WHERE NOT charged")
    op.drop_column("turns", "charged")
    op.add_column("turns", sa.Column("address", sa.String(64), nullable=False, server_default=""))
