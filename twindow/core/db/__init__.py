"""Databases: SQLite and PostgreSQL, migrations, copies, counters and locks."""
