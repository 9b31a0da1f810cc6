"""Databases: SQLite and PostgreSQL, migrations, backups and the lock of the data folder."""
