"""The settings `TWINDOW_AVATAR_ORIGINS` and `TWINDOW_FRAME_ANCESTORS`: lists of origins."""

from __future__ import annotations

import re
from typing import Self

from twindow.core.urls import origin_of

# Characters such as `;` and `*` have a meaning of their own in a Content-Security-Policy.
FRAME_ANCESTOR = re.compile(r"(https://[a-z0-9.-]+|http://localhost)(:\d+)?", re.ASCII)


class AvatarOrigins(frozenset[str]):
    """Where avatars may be, apart from the service: "https://cdn.example.org, …".

    Raises ValueError with a plain reason.
    """

    def __new__(cls, text: str) -> Self:
        """Parse the list."""
        urls = [stripped for part in text.split(",") if (stripped := part.strip().rstrip("/"))]
        for url in urls:
            if origin_of(url) != url:
                raise ValueError(f"“{url}” should be an origin such as https://example.org")
        return super().__new__(cls, urls)


class FrameAncestors(AvatarOrigins):
    """Sites that may show the portal in a frame: "https://www.example.org, …".

    Plain HTTP is only for localhost. Raises ValueError with a plain reason.
    """

    def __new__(cls, text: str) -> Self:
        """Parse the list."""
        origins = super().__new__(cls, text)
        for origin in origins:
            if not FRAME_ANCESTOR.fullmatch(origin):
                raise ValueError(f"“{origin}” should begin with https:// or http://localhost")
        return origins
