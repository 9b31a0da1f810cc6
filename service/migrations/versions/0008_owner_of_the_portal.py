"""Rename the owner "portal", so that no token can claim the keys of the portal."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"

OLD_OWNER = "portal"
NEW_OWNER = "\x1fportal"
TABLES = ("service_keys", "service_conversations", "service_presses")


def upgrade() -> None:
    """Change the owner in each table."""
    for name in TABLES:
        table = sa.table(name, sa.column("sub", sa.Text))
        op.execute(table.update().where(table.c.sub == OLD_OWNER).values(sub=NEW_OWNER))
