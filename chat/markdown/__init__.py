"""Markdown: a reply as HTML, whole, and while it is written."""
