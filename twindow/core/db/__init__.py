"""Databases: SQLite and PostgreSQL, migrations, copies and the lock of the data folder."""
