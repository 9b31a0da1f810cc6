"""Avatars of twins without an image: initials on a flat colour."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from twindow.core.branding import Oklch

# Ten hues that differ clearly from each other, and from the accent of the portal.
HUES = (195, 288, 52, 257, 114, 350, 226, 83, 319, 21)
# White letters are legible on these colours (WCAG 2.2, 1.4.3), on light and dark pages.
COLOURS = tuple(Oklch(0.48, 0.12, hue).hex for hue in HUES)
ARABIC_ARTICLE = "ال"
# The first letter, digit or symbol of a word, with accents; joined emoji and flags as a whole.
_MARKS = "[\u0300-\u036f\ufe0f\u20e3\U0001f3fb-\U0001f3ff]*"
_SYMBOL = "[\u2190-\u2bff\U0001f000-\U0001faff]"
_INITIAL = re.compile(
    f"[\U0001f1e6-\U0001f1ff]{{2}}|(?:[^\\W_]|{_SYMBOL}){_MARKS}(?:\u200d{_SYMBOL}{_MARKS})*"
)


@dataclass(frozen=True, slots=True)
class InitialsAvatar:
    """One or two initials, and the background colour as #rrggbb."""

    initials: str
    background: str


def initials_avatar(twin_id: str, name: str) -> InitialsAvatar:
    """Return the avatar of a twin. The colour depends on the id, so a renamed twin keeps it."""
    digest = hashlib.sha256(twin_id.encode()).digest()
    return InitialsAvatar(initials_of(name), COLOURS[digest[0] % len(COLOURS)])


def initials_of(name: str) -> str:
    """Return the initials of the first and the last word of a name.

    A name has one initial if its script has no capitals, or if it begins with a symbol such as an
    emoji: two letters of Arabic would join, two of Japanese would look like a word.
    """
    words = [word.removeprefix(ARABIC_ARTICLE) or word for word in name.split()]
    initials = [found[0] for word in words if (found := _INITIAL.search(word))]
    if not initials:
        return name.strip()[:1]
    first, last = initials[0].upper(), initials[-1].upper()
    is_cased = first != first.lower() and last != last.lower()
    return first + last if is_cased and len(initials) > 1 else first
