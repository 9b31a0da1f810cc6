"""Add the token counts and the model of replies."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Add the columns; for existing replies they are not known."""
    op.add_column("service_messages", sa.Column("input_tokens", sa.Integer))
    op.add_column("service_messages", sa.Column("output_tokens", sa.Integer))
    op.add_column("service_messages", sa.Column("model", sa.Text))
