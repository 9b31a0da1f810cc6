"""The append-only log of each reply."""
