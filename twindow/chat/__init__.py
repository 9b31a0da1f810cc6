"""Domain layer: conversations, turns and replies. Imports neither Flask nor requests."""
