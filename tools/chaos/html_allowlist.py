"""The HTML allowed in rendered Markdown: a separate list, not the renderer's."""

from __future__ import annotations

import re
from html.parser import HTMLParser

TEXT_TAGS = {"b", "br", "del", "em", "hr", "p", "strong", "sup"}
HEADING_TAGS = {"h1", "h2", "h3", "h4", "h5", "h6"}
TABLE_TAGS = {"table", "tbody", "thead", "tr"}
TOKEN_TAGS = {"mi", "mn", "mo", "mtext"}
LAYOUT_TAGS = {"menclose", "mfrac", "mpadded", "mphantom", "mroot", "mrow", "msqrt", "mtr"}
SCRIPT_TAGS = {"mover", "msub", "msubsup", "msup", "munder", "munderover"}
FORMULA_TAGS = TOKEN_TAGS | LAYOUT_TAGS | SCRIPT_TAGS
TAGS_WITHOUT_ATTRIBUTES = TEXT_TAGS | HEADING_TAGS | TABLE_TAGS | FORMULA_TAGS
ALLOWED_ATTRIBUTES = {
    "a": {"href", "title", "rel", "role", "id", "dir"},
    "bdi": {"class", "tabindex"},
    "blockquote": {"dir"},
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
    "ol": {"class", "dir", "start"},
    "pre": {"tabindex"},
    "section": {"class", "dir", "tabindex"},
    "small": {"class"},
    "td": {"align"},
    "th": {"align"},
    "ul": {"dir"},
}
ALLOWED_CLASSES = {"code", "table", "noted", "host", "task", "wide", "formula", *"kscmfbdi"}
FOOTNOTE_ID = re.compile(r"#?(?:note|call)-[\w-]+")
REQUIRED_REL = "noopener noreferrer nofollow"


class AllowlistChecker(HTMLParser):
    """An HTML parser that collects what the allowlist does not contain."""

    def __init__(self) -> None:
        super().__init__()
        self.violations: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Check a tag and its attributes."""
        attributes = dict(attrs)
        if (
            tag not in TAGS_WITHOUT_ATTRIBUTES | ALLOWED_ATTRIBUTES.keys()
            or attributes.keys() - ALLOWED_ATTRIBUTES.get(tag, set())
        ):
            self.violations.append(f"<{tag} {attributes}>")
        href = attributes.get("href") or "https:"
        if tag == "a" and not (
            FOOTNOTE_ID.fullmatch(href)
            or (
                re.match(r"(https?|mailto):", href, re.IGNORECASE)
                and attributes.get("rel") == REQUIRED_REL
            )
        ):
            self.violations.append(f"<a {attributes}>")
        if attributes.get("class", "code") not in ALLOWED_CLASSES or not FOOTNOTE_ID.fullmatch(
            attributes.get("id", "note--1") or ""
        ):
            self.violations.append(f"<{tag} {attributes}>")

    def handle_comment(self, data: str) -> None:
        """Reject a comment, a declaration, a marked section or a processing instruction."""
        self.violations.append(f"<!--{data}-->")

    handle_decl = unknown_decl = handle_pi = handle_comment
