"""A snippet as a test reads it."""

from chat.search.snippets import Snippet


def format_snippet(snippet: Snippet) -> str:
    """Write a snippet with its hits in brackets."""
    return "".join(f"[{part.text}]" if part.is_hit else part.text for part in snippet)
