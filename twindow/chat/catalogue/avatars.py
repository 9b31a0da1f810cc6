"""Avatars of twins, downloaded on first use and cached in the data folder."""

from __future__ import annotations

import hashlib
import logging
import os
import tempfile
import threading
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from twindow.core.clock import Clock
from twindow.core.images import detect_media_type
from twindow.twinapi import AvatarDownloader, AvatarUnavailable, Twin

logger = logging.getLogger(__name__)

MAX_AGE_SECONDS = 86_400.0
RETRY_SECONDS = 300.0
# One line is logged for all avatars that fail within this time.
LOG_SECONDS = 3600.0
MAX_CACHED_BYTES = 64 * 1024 * 1024
MAX_CONCURRENT_DOWNLOADS = 4
# Maximum length of a URL or a reason in a log line: the service may send very long texts.
MAX_LOGGED_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class Avatar:
    """The bytes of an image and its media type."""

    media_type: str
    content: bytes = field(repr=False)


class Avatars:
    """Lookup and download of avatars by name; `folder` is the cache of all processes.

    Only URLs from a list of twins of the service are ever requested.
    """

    # Browsers limit parallel requests, so slow images would delay other requests of the person.
    max_wait_seconds = 1.0

    def __init__(self, downloader: AvatarDownloader, folder: Path, clock: Clock) -> None:
        self.downloader = downloader
        self._folder = folder
        self._clock = clock
        self._executor = ThreadPoolExecutor(MAX_CONCURRENT_DOWNLOADS, thread_name_prefix="avatar")
        self._downloads: dict[str, Future[None]] = {}
        self._retry_at: dict[str, float] = {}
        self._logged_origins: set[str] = set()
        self._log_again_at = 0.0
        self._lock = threading.Lock()

    def name_of(self, twin: Twin | None) -> str:
        """Return the name of a twin's avatar, or "" if it has none.

        The name is a hash of the base URL of the service and the URL of the avatar.
        """
        if twin is None or not twin.avatar_url:
            return ""
        full_url = f"{self.downloader.base_url}\n{twin.avatar_url}"
        return hashlib.sha256(full_url.encode()).hexdigest()[:32]

    def find(self, name: str, twins: Mapping[str, Twin]) -> Avatar | None:
        """Return the avatar with this name, or None if no twin has it or it is not available.

        A cached image is returned at once, even if it is due for a new download. Waits at most
        `max_wait_seconds` for the first download.
        """
        urls = (twin.avatar_url for twin in twins.values() if self.name_of(twin) == name)
        url = next(urls, None) if name else None
        if url is None or self._is_elsewhere(url):
            return None
        path = self._folder / name
        content, age = self._read(path)
        if age >= MAX_AGE_SECONDS and (download := self._start_download(name, url)) and not content:
            wait([download], self.max_wait_seconds)
            content, _ = self._read(path)
        media_type = detect_media_type(content)
        return Avatar(media_type, content) if media_type else None

    def _start_download(self, name: str, url: str) -> Future[None] | None:
        """Start a download unless it is running or has just failed."""
        with self._lock:
            download = self._downloads.get(name)
            _, age = self._read(self._folder / name)  # another thread may have just finished
            is_due = age >= MAX_AGE_SECONDS and self._clock.time() >= self._retry_at.get(name, 0)
            if is_due and (download is None or download.done()):
                download = self._executor.submit(self._download, name, url)
                self._downloads[name] = download
            return download

    def _is_elsewhere(self, url: str) -> bool:
        origin = self.downloader.missing_origin(url)
        if origin and origin not in self._logged_origins:
            self._logged_origins.add(origin)
            logger.warning("Avatars of %s are not shown: see TWINDOW_AVATAR_ORIGINS.", origin)
        return origin is not None

    def _read(self, path: Path) -> tuple[bytes, float]:
        """Return the cached image, and its age in seconds; b"" if there is none."""
        try:
            return path.read_bytes(), self._clock.time() - path.stat().st_mtime
        except OSError:
            return b"", MAX_AGE_SECONDS

    def _download(self, name: str, url: str) -> None:
        try:
            content = self.downloader.fetch(url)
            if detect_media_type(content):
                return self._store(name, content)
            reason = "it is not PNG, JPEG, WebP or GIF"
        except (AvatarUnavailable, OSError) as error:
            reason = str(error)[:MAX_LOGGED_CHARACTERS]
        self._retry_at[name] = self._clock.time() + RETRY_SECONDS
        if self._clock.time() >= self._log_again_at:
            self._log_again_at = self._clock.time() + LOG_SECONDS
            # The query string of the URL may contain secrets.
            logged_url = url.partition("?")[0][:MAX_LOGGED_CHARACTERS]
            logger.warning("At least one avatar is not shown: %s: %s.", logged_url, reason)
        return None

    def _store(self, name: str, content: bytes) -> None:
        """Replace an image as a whole, and delete the oldest images if there are too many."""
        self._folder.mkdir(exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=self._folder, delete=False) as file:
            file.write(content)
        now = self._clock.time()
        os.utime(file.name, (now, now))
        Path(file.name).replace(self._folder / name)
        with self._lock, suppress(FileNotFoundError):  # other processes delete images, too
            files = {path: path.stat() for path in self._folder.glob("[0-9a-f]*")}
            total = sum(file.st_size for file in files.values())
            for path in sorted(files, key=lambda path: files[path].st_mtime):
                if total <= MAX_CACHED_BYTES:
                    return
                total -= files[path].st_size
                path.unlink()
