"""Full-text search in titles, messages and replies."""

from twindow.chat.search.search import MAX_QUERY_LENGTH, Search, SearchResults, query_pattern
from twindow.chat.search.snippets import SearchPattern, Snippet, SnippetPart, plain_line

__all__ = [
    "MAX_QUERY_LENGTH",
    "Search",
    "SearchPattern",
    "SearchResults",
    "Snippet",
    "SnippetPart",
    "plain_line",
    "query_pattern",
]
