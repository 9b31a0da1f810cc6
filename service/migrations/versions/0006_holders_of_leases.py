"""Add ids and indexes for leases, and keep revoked keys."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add the columns and indexes; widen ids to 64 bits."""
    op.add_column("service_conversations", sa.Column("replying_by", sa.String(32)))
    op.create_index("service_conversations_by_reply", "service_conversations", ["replying_to"])
    op.create_index("service_conversations_by_holder", "service_conversations", ["replying_by"])
    op.add_column("service_keys", sa.Column("revoked_at", sa.Float))
    # Release all leases: the processes that hold them are being replaced.
    op.execute("UPDATE service_conversations SET replying_until = 0, replying_to = NULL")
    if op.get_bind().dialect.name == "postgresql":
        for table in ("service_requests", "service_line"):
            op.alter_column(table, "id", type_=sa.BigInteger)
            op.execute(f"ALTER SEQUENCE {table}_id_seq AS bigint")
