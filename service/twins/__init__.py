"""Twins, read from Markdown files."""
