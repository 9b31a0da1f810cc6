"""Move the HTML of finished replies from their logs to a cache."""

import json
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"

BATCH = 200
# Version of the renderer that rendered the replies of earlier revisions.
VERSION = 1
ENDS = """SELECT turn_id, seq, data FROM entries
    WHERE kind = 'ended' AND turn_id > :turn_id ORDER BY turn_id LIMIT :limit"""
UPDATE = "UPDATE entries SET data = :data WHERE turn_id = :turn_id AND seq = :seq"


def upgrade() -> None:
    """Create the cache and fill it, a few hundred replies at a time."""
    html_cache = op.create_table(
        "html_cache",
        sa.Column(
            "turn_id",
            sa.String(32),
            sa.ForeignKey("turns.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("version", sa.Integer, primary_key=True),
        sa.Column("html", sa.Text, nullable=False),
    )
    connection = op.get_bind()
    last = ""
    while rows := connection.execute(sa.text(ENDS), {"turn_id": last, "limit": BATCH}).all():
        changes: list[dict[str, Any]] = []
        cached: list[dict[str, Any]] = []
        for row in rows:
            entry = json.loads(bytes(row.data))
            html = entry.pop("html", "")
            if html:
                cached.append({"turn_id": row.turn_id, "version": VERSION, "html": html})
                data = json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode()
                changes.append({"turn_id": row.turn_id, "seq": row.seq, "data": data})
        if changes:
            connection.execute(sa.text(UPDATE), changes)
            connection.execute(sa.insert(html_cache), cached)
        last = rows[-1].turn_id
