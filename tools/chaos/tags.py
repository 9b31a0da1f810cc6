"""What may stand in rendered Markdown: a list of its own, not the renderer's."""

from __future__ import annotations

import re
from html.parser import HTMLParser

PLAIN = {
    *("b", "blockquote", "br", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr"),
    *("p", "strong", "sup", "table", "tbody", "thead", "tr", "ul"),
    *("mfrac", "mi", "mn", "mo", "mover", "mpadded", "mphantom", "mroot", "mrow", "msqrt"),
    *("msub", "msubsup", "msup", "mtext", "mtr", "munder", "munderover", "menclose"),
}
ATTRIBUTES = {
    "a": {"href", "title", "rel", "role", "id"},
    "code": set(),
    "div": {"class", "data-language", "id", "tabindex"},
    "i": {"class"},
    "li": {"class"},
    "math": {"display", "alttext", "tabindex"},
    "mfrac": {"linethickness"},
    "mi": {"mathvariant"},
    "mo": {"stretchy", "fence", "form", "separator", "accent", "largeop", "movablelimits"},
    "mover": {"accent"},
    "mspace": {"width"},
    "mstyle": {"displaystyle", "scriptlevel"},
    "mtable": {"columnalign"},
    "mtd": {"columnalign"},
    "munder": {"accentunder"},
    "ol": {"start"},
    "pre": {"tabindex"},
    "section": {"class", "tabindex"},
    "small": {"class"},
    "td": {"align"},
    "th": {"align"},
}
CLASSES = {"code", "table", "noted", "host", "task", *"kscmfbdi"}
NOTE = re.compile(r"#?(?:note|call)-[\w-]*-\d+")
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
        href = given.get("href") or "https:"
        if tag == "a" and not (
            NOTE.fullmatch(href)
            or (re.match(r"(https?|mailto):", href, re.IGNORECASE) and given.get("rel") == REL)
        ):
            self.wrong.append(f"<a {given}>")
        if given.get("class", "code") not in CLASSES or not NOTE.fullmatch(
            given.get("id", "note--1") or ""
        ):
            self.wrong.append(f"<{tag} {given}>")

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
