"""Full-text search in titles, messages and replies."""
