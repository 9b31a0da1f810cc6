"""Mark replies that ended at the token limit of the model."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Add the column; for existing replies it is not known, and their text ends in an ellipsis."""
    op.add_column(
        "service_messages",
        sa.Column("cut_off", sa.Boolean, nullable=False, server_default=sa.false()),
    )
