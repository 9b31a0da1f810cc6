"""Footer links set by the operator: "Imprint=https://example.org/imprint, Help desk=/help"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

MAX_LINKS = 12
MAX_LABEL_CHARACTERS = 40
HREF = re.compile(r"(https?://[^\s\\,]+|mailto:[^\s\\,]+@[^\s\\,]+|/(?![/\\])[^\s\\,]*)")


@dataclass(frozen=True, slots=True)
class Link:
    """A label and its URL."""

    label: str
    href: str


class FooterLinks:
    """Links, parsed from the value of the setting. Raises ValueError with a plain reason."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.links = [_parse_link(part.strip()) for part in text.split(",") if part.strip()]
        if len(self.links) > MAX_LINKS:
            raise ValueError(f"it holds {len(self.links)} links, and {MAX_LINKS} are possible")


def _parse_link(part: str) -> Link:
    label, equals, href = (piece.strip() for piece in part.partition("="))
    if not equals or not label:
        raise ValueError(
            f"“{part}” should be written Label=https://…, Label=mailto:… or Label=/path"
        )
    if len(label) > MAX_LABEL_CHARACTERS or not label.isprintable():
        raise ValueError(
            f"“{label[:MAX_LABEL_CHARACTERS]}” should be at most {MAX_LABEL_CHARACTERS} letters"
        )
    if not HREF.fullmatch(href) or not _has_host(href):
        raise ValueError(
            f"“{href}” should begin with https://, http://, mailto: or one slash, "
            "and write a comma or blank as %2C or %20"
        )
    return Link(label, href)


def _has_host(href: str) -> bool:
    try:
        return bool(urlsplit(href).hostname) or not href.startswith("http")
    except ValueError:
        return False
