"""The scenarios, each with its expectations."""
