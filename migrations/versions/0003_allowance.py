"""Store the rate limits of API keys, and whether a turn counts towards the hourly quota."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the quota table; each existing turn counts as one request."""
    op.create_table(
        "allowances",
        sa.Column("key", sa.String(64), primary_key=True),
        sa.Column("request_limit", sa.Integer),
        sa.Column("remaining", sa.Integer),
        sa.Column("resets_at", sa.Float),
        sa.Column("window", sa.Float),
        sa.Column("heard_at", sa.Float),
        sa.Column("refusals", sa.Integer, nullable=False, server_default="0"),
        sa.Column("refused_until", sa.Float, nullable=False, server_default="0"),
        sa.Column("forbidden_until", sa.Float, nullable=False, server_default="0"),
    )
    op.add_column(
        "turns", sa.Column("charged", sa.Boolean, nullable=False, server_default=sa.true())
    )
    op.create_index("turns_by_time", "turns", ["created_at"])
    op.create_index("turns_of_conversation_by_time", "turns", ["conversation_id", "created_at"])
