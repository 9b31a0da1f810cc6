"""Add the place of a turn in its conversation: several turns may be versions in one slot."""

import sqlalchemy as sa
from alembic import op

revision = "0102"
down_revision = "0101"


def upgrade() -> None:
    """Add columns. So far, each turn has a slot of its own."""
    for name, default in (("slot", "0"), ("version", "1"), ("follows", "0")):
        op.add_column("turns", sa.Column(name, sa.Integer, nullable=False, server_default=default))
    op.execute("UPDATE turns SET slot = position, follows = position - 1")
    op.create_index(
        "turns_of_slot", "turns", ["conversation_id", "slot", "version", "position", "follows"]
    )
