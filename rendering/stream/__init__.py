"""Render a reply while it grows, and describe each change as patches of the DOM."""
