"""The setting `TWINDOW_FRAME_ANCESTORS`: which sites may show the portal in a frame."""

from __future__ import annotations

import re
from typing import Self

from core.settings.avatar_origins import AvatarOrigins

# Characters such as `;` and `*` have a meaning of their own in a Content-Security-Policy.
ORIGIN = re.compile(r"(https://[a-z0-9.-]+|http://localhost)(:\d+)?", re.ASCII)


class FrameAncestors(AvatarOrigins):
    """Origins parsed from a list such as "https://www.example.org, http://localhost:3000".

    Plain HTTP is only for localhost. Raises ValueError with a plain reason.
    """

    def __new__(cls, text: str) -> Self:
        """Parse the list."""
        origins = super().__new__(cls, text)
        for origin in origins:
            if not ORIGIN.fullmatch(origin):
                raise ValueError(f"“{origin}” should begin with https:// or http://localhost")
        return origins
