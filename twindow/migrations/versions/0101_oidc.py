"""Add what is known of a sign-in at a provider of OpenID Connect, and widen its identities."""

import sqlalchemy as sa
from alembic import op

revision = "0101"
down_revision = "0100"


def upgrade() -> None:
    """Change and add columns."""
    with op.batch_alter_table("identities") as identities:
        for column in ("issuer", "subject"):
            identities.alter_column(column, type_=sa.String(255), existing_nullable=False)
    op.add_column("sign_ins", sa.Column("verified_at", sa.Float))
    for name in ("provider_sid", "id_token"):
        op.add_column("sign_ins", sa.Column(name, sa.Text, nullable=False, server_default=""))
