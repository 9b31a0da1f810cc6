"""Alembic migrations of the portal's tables."""
