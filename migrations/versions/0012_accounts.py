"""Add the tables for accounts and sign-ins."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "people",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("is_admin", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("created_at", sa.Float, nullable=False),
        sa.Column("disabled_at", sa.Float),
    )
    op.create_table(
        "identities",
        sa.Column("issuer", sa.String(200), primary_key=True),
        sa.Column("subject", sa.String(200), primary_key=True),
        _person_id(),
    )
    op.create_index("ix_identities_person_id", "identities", ["person_id"])
    op.create_table(
        "passwords", _person_id(primary_key=True), sa.Column("hash", sa.Text, nullable=False)
    )
    op.create_table(
        "one_time_links",
        _person_id(primary_key=True),
        sa.Column("purpose", sa.String(16), primary_key=True),
        sa.Column("token_hash", sa.String(64), nullable=False, unique=True),
        sa.Column("expires_at", sa.Float, nullable=False),
    )
    op.create_table(
        "sign_ins",
        sa.Column("id", sa.String(32), primary_key=True),
        _person_id(),
        sa.Column("device", sa.Text, nullable=False),
        sa.Column("created_at", sa.Float, nullable=False),
        sa.Column("seen_at", sa.Float, nullable=False),
    )
    op.create_index("ix_sign_ins_person_id", "sign_ins", ["person_id"])
    op.create_table(
        "sign_in_attempts",
        sa.Column("key", sa.String(64), primary_key=True),
        sa.Column("failures", sa.Integer, nullable=False),
        sa.Column("resets_at", sa.Float, nullable=False),
    )
    op.create_index("ix_sign_in_attempts_resets_at", "sign_in_attempts", ["resets_at"])


def _person_id(*, primary_key: bool = False) -> sa.Column[str]:
    people_id = sa.ForeignKey("people.id", ondelete="CASCADE")
    return sa.Column("person_id", sa.String(32), people_id, primary_key=primary_key, nullable=False)
