"""Mark replies that ended at the token limit of the model."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Add the column, which is False for all existing replies.

    Earlier versions added an ellipsis to the text of a reply that was cut off.
    """
    op.add_column(
        "service_messages",
        sa.Column("cut_off", sa.Boolean, nullable=False, server_default=sa.false()),
    )
