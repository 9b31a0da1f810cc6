"""Generated avatars: two discs on a background, always the same for the same twin."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

SEED_BYTES = 6


@dataclass(frozen=True, slots=True)
class Identicon:
    """Colours and positions of a generated avatar, in a view box of 44 by 44."""

    background: str
    disc: str
    dot: str
    disc_x: int
    disc_y: int
    dot_x: int
    dot_y: int


def seed_for(twin_id: str) -> str:
    """Return the hexadecimal seed of a twin's avatar.

    When the drawing changes, increase the number in the hashed text. This changes the URL, which
    contains the seed, so that browsers load the new drawing.
    """
    return hashlib.sha256(f"face 5 of {twin_id}".encode()).hexdigest()[: 2 * SEED_BYTES]


def generate(seed: str) -> Identicon:
    """Return the avatar of a seed."""
    seed_bytes = bytes.fromhex(seed)
    hue = int.from_bytes(seed_bytes[:2]) % 360
    return Identicon(
        background=f"hsl({hue} 45% 62%)",
        disc=f"hsl({(hue + 40) % 360} 55% 72%)",
        dot=f"hsl({(hue + 320) % 360} 50% 45%)",
        disc_x=15 + seed_bytes[2] % 12,
        disc_y=12 + seed_bytes[3] % 10,
        dot_x=25 + seed_bytes[4] % 7,
        dot_y=30 + seed_bytes[5] % 6,
    )
