"""Download of avatars, from the service itself and from origins that the operator has listed."""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import urljoin

from twindow.core.outbound.adapter import OutboundAdapter, open_session
from twindow.core.outbound.outbound import Outbound
from twindow.core.outbound.responses import NETWORK_ERRORS, describe_network_error, read_bounded
from twindow.core.urls import origin_of

MAX_BYTES = 1024 * 1024
TIMEOUT_SECONDS = 5.0
HEADERS = {"Accept": "image/png, image/jpeg, image/webp, image/gif", "User-Agent": "Twindow"}


class AvatarUnavailable(Exception):
    """Raised when an avatar cannot be fetched; the text is for the operator's log."""


class AvatarDownloader:
    """Downloader of the avatars of one service.

    `origins` are allowed besides the origin of `base_url`.
    """

    def __init__(self, base_url: str, origins: Collection[str], outbound: Outbound) -> None:
        self.base_url = base_url
        self._origins = {origin_of(base_url), *origins}
        self._outbound = outbound

    def missing_origin(self, avatar_url: str) -> str | None:
        """Return the origin of a URL if avatars are not loaded from there, otherwise None."""
        try:
            origin = origin_of(urljoin(self.base_url, avatar_url))
        except ValueError:
            return None
        return None if origin in self._origins else origin

    def fetch(self, avatar_url: str) -> bytes:
        """Return the content of a URL, limited in size and time. Raises AvatarUnavailable.

        The request has no key: the service must serve avatars without one, as an <img> cannot send
        a key. Redirects are not followed, because they could lead anywhere.
        """
        try:
            url = urljoin(self.base_url, avatar_url)
            origin = origin_of(url)
            if origin not in self._origins:
                raise AvatarUnavailable(f"{origin} is not in TWINDOW_AVATAR_ORIGINS")
            with open_session(OutboundAdapter(self._outbound)) as session:
                response = session.get(
                    url,
                    headers=HEADERS,
                    stream=True,
                    allow_redirects=False,
                    timeout=TIMEOUT_SECONDS,
                )
                if response.status_code != 200:
                    target = f" and leads to {response.next.url}" if response.next else ""
                    raise AvatarUnavailable(f"the status is {response.status_code}{target}")
                return read_bounded(response, MAX_BYTES, TIMEOUT_SECONDS)
        except (*NETWORK_ERRORS, ValueError) as error:
            raise AvatarUnavailable(describe_network_error(error)) from None
