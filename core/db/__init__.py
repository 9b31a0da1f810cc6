"""Databases: SQLite and PostgreSQL, migrations and the lock of the data folder."""
