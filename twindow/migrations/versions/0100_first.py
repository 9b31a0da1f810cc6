"""Create the tables of the portal."""

import sqlalchemy as sa
from alembic import op

revision = "0100"
down_revision = None


def upgrade() -> None:
    """Create everything."""
    op.create_table(
        "conversations",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("person", sa.String(64), nullable=False),
        sa.Column("twin_id", sa.Text, nullable=False),
        sa.Column("twin_name", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("service_id", sa.Text),
        sa.Column("delete_url", sa.Text, server_default="", nullable=False),
        sa.Column("created_at", sa.Float, nullable=False),
        sa.Column("updated_at", sa.Float, nullable=False),
        sa.Column("pinned", sa.Boolean, server_default=sa.false(), nullable=False),
        sa.Column("archived", sa.Boolean, server_default=sa.false(), nullable=False),
        sa.Column("deleted_at", sa.Float),
        sa.Column("title_terms", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("conversations_deleted", "conversations", ["deleted_at"])
    op.create_index(
        "conversations_listed",
        "conversations",
        ["person", "archived", "pinned", "updated_at", "id"],
    )
    op.create_table(
        "twin_list_cache",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("data", sa.LargeBinary, nullable=False),
        sa.Column("listed_at", sa.Float, nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "secret_fingerprints",
        sa.Column("name", sa.String(32), nullable=False),
        sa.Column("fingerprint", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
    op.create_table(
        "people",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("created_at", sa.Float, nullable=False),
        sa.Column("disabled_at", sa.Float),
        sa.Column("signed_in_at", sa.Float),
        sa.Column("group_names", sa.Text, server_default="", nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "workers",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("heartbeat", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "api_quotas",
        sa.Column("key", sa.String(64), nullable=False),
        sa.Column("request_limit", sa.Integer),
        sa.Column("remaining", sa.Integer),
        sa.Column("resets_at", sa.Float),
        sa.Column("reported_at", sa.Float),
        sa.Column("retry_at", sa.Float),
        sa.PrimaryKeyConstraint("key"),
    )
    op.create_table(
        "sessions",
        sa.Column("key", sa.String(128), nullable=False),
        sa.Column("data", sa.LargeBinary, nullable=False),
        sa.Column("expires_at", sa.Float, nullable=False),
        sa.PrimaryKeyConstraint("key"),
    )
    op.create_index("ix_sessions_expires_at", "sessions", ["expires_at"])
    op.create_table(
        "identities",
        sa.Column("issuer", sa.String(200), nullable=False),
        sa.Column("subject", sa.String(200), nullable=False),
        sa.Column("person_id", sa.String(32), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("issuer", "subject"),
    )
    op.create_index("ix_identities_person_id", "identities", ["person_id"])
    op.create_table(
        "one_time_links",
        sa.Column("person_id", sa.String(32), nullable=False),
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("expires_at", sa.Float, nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("person_id"),
        sa.UniqueConstraint("token_hash"),
    )
    op.create_table(
        "passwords",
        sa.Column("person_id", sa.String(32), nullable=False),
        sa.Column("hash", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("person_id"),
    )
    op.create_table(
        "sign_ins",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("person_id", sa.String(32), nullable=False),
        sa.Column("device", sa.Text, nullable=False),
        sa.Column("created_at", sa.Float, nullable=False),
        sa.Column("seen_at", sa.Float, nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_sign_ins_person_id", "sign_ins", ["person_id"])
    op.create_table(
        "turns",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("conversation_id", sa.String(32), nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("submission", sa.String(64), nullable=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("worker", sa.String(32), nullable=False),
        sa.Column("created_at", sa.Float, nullable=False),
        sa.Column("idempotency_key", sa.String(32), server_default="", nullable=False),
        sa.Column("message_terms", sa.Text, nullable=False),
        sa.Column("reply_terms", sa.Text, server_default="", nullable=False),
        sa.ForeignKeyConstraint(["conversation_id"], ["conversations.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("conversation_id", "position"),
        sa.UniqueConstraint("submission", name="one_turn_per_submission"),
    )
    op.create_index("turns_of_worker", "turns", ["worker"])
    op.create_table(
        "counters",
        sa.Column("scope", sa.String(24), nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("seconds", sa.Integer, nullable=False),
        sa.Column("ends_at", sa.Integer, nullable=False),
        sa.Column("used", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("scope", "subject", "seconds", "ends_at"),
    )
    op.create_index("counters_by_end", "counters", ["ends_at"])
    op.create_table(
        "entries",
        sa.Column("turn_id", sa.String(32), nullable=False),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("data", sa.LargeBinary, nullable=False),
        sa.Column("html", sa.Text),
        sa.Column("html_version", sa.Integer),
        sa.ForeignKeyConstraint(["turn_id"], ["turns.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("turn_id", "seq"),
    )
