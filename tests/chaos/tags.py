"""What may stand in rendered Markdown: a list of its own, not the renderer's."""

from __future__ import annotations

import re
from html.parser import HTMLParser

PLAIN = {
    *("blockquote", "br", "code", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li"),
    *("p", "pre", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul"),
}
ATTRIBUTES = {
    "a": {"href", "title", "rel"},
    "ol": {"start"},
    "input": {"type", "checked", "disabled"},
}
REL = "noopener noreferrer nofollow"


class Tags(HTMLParser):
    """Collect what is not allowed in a piece of HTML."""

    def __init__(self) -> None:
        super().__init__()
        self.wrong: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Look at a tag and its attributes."""
        given = dict(attrs)
        if tag not in PLAIN | ATTRIBUTES.keys() or given.keys() - ATTRIBUTES.get(tag, set()):
            self.wrong.append(f"<{tag} {given}>")
        if tag == "a" and not (
            re.match(r"(https?|mailto):", given.get("href") or "https:", re.IGNORECASE)
            and given.get("rel") == REL
        ):
            self.wrong.append(f"<a {given}>")
        if tag == "input" and (given.get("type") != "checkbox" or "disabled" not in given):
            self.wrong.append(f"<input {given}>")

    def handle_comment(self, data: str) -> None:
        """Refuse a comment."""
        self.wrong.append(f"<!--{data}-->")

    def handle_decl(self, decl: str) -> None:
        """Refuse a declaration."""
        self.wrong.append(f"<!{decl}>")

    def unknown_decl(self, data: str) -> None:
        """Refuse a section."""
        self.wrong.append(f"<![{data}]>")

    def handle_pi(self, data: str) -> None:
        """Refuse an instruction."""
        self.wrong.append(f"<?{data}>")
