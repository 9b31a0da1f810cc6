"""Generated pictures: two discs on a ground, always the same for the same twin."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

SEED_BYTES = 6


@dataclass(frozen=True, slots=True)
class Identicon:
    """What a face is drawn by."""

    background: str
    disc: str
    dot: str
    disc_x: int
    disc_y: int
    dot_x: int
    dot_y: int


def seed_for(twin_id: str) -> str:
    """Return what a twin's face grows from: another drawing needs another number here."""
    return hashlib.sha256(f"face 5 of {twin_id}".encode()).hexdigest()[: 2 * SEED_BYTES]


def generate(seed: str) -> Identicon:
    """Draw a face."""
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
