"""Render Markdown as safe HTML. Imports nothing else of ours."""
