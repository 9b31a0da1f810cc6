"""A plain-text form of search snippets, for assertions."""

from twindow.chat.search.snippets import Snippet


def format_snippet(snippet: Snippet) -> str:
    """Return the text of a snippet with its hits in square brackets."""
    return "".join(f"[{part.text}]" if part.is_hit else part.text for part in snippet)
