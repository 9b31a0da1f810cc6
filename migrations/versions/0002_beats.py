"""Count heartbeats of worker processes, and store no worker for a reply that has ended."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Replace heartbeat timestamps by counters, and clear `producer` where the reply has ended."""
    op.drop_table("producers")
    op.create_table(
        "producers",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("beat", sa.Integer, nullable=False),
    )
    op.execute(
        "UPDATE turns SET producer = '' "
        "WHERE id IN (SELECT turn_id FROM entries WHERE kind = 'ended')"
    )
    op.create_index("turns_of_producer", "turns", ["producer"])
