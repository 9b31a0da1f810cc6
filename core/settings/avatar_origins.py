"""The setting `TWINDOW_AVATAR_ORIGINS`: where avatars may be, apart from the service."""

from __future__ import annotations

from typing import Self

from core.urls import origin_of


class AvatarOrigins(frozenset[str]):
    """Origins parsed from a list such as "https://images.example.org, https://cdn.example.org".

    Raises ValueError with a plain reason.
    """

    def __new__(cls, text: str) -> Self:
        """Parse the list."""
        urls = [stripped for part in text.split(",") if (stripped := part.strip().rstrip("/"))]
        for url in urls:
            if origin_of(url) != url:
                raise ValueError(f"“{url}” should be an origin such as https://example.org")
        return super().__new__(cls, urls)

    def __str__(self) -> str:
        """Return the origins as a list."""
        return ", ".join(sorted(self))
