"""Avatar images in the twins folder. The content of an image determines its type and name."""

from __future__ import annotations

import hashlib
import logging
import re
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from core.images import detect_media_type
from service import file_stamp
from service.twins.twin import Twin

logger = logging.getLogger(__name__)

MAX_AVATAR_BYTES = 1024 * 1024
EXTERNAL_URL = re.compile(r"https://[^\s/]\S*")


def has_external_avatar(twin: Twin) -> bool:
    """Return whether the avatar of a twin is an https URL."""
    return bool(EXTERNAL_URL.fullmatch(twin.front_matter.avatar))


class InvalidAvatar(Exception):
    """Raised for an unusable avatar; the message is a predicate, such as "does not exist"."""


@dataclass(frozen=True, slots=True)
class Image:
    """An avatar image. The name is the SHA-256 of the content, so it does not reveal the twin."""

    name: str
    media_type: str
    content: bytes = field(repr=False)


class Avatars:
    """Cache of avatar images, read again when a file changes. Thread-safe.

    A problem with an avatar never hides its twin.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._cache: dict[str, tuple[str, file_stamp.Stamp | None, Image | InvalidAvatar]] = {}
        self._lock = threading.Lock()

    def image_of(self, twin: Twin) -> Image | None:
        """Return the local avatar of a twin, or None."""
        result = self._load_cached(twin)
        return result if isinstance(result, Image) else None

    def problem(self, twin: Twin) -> str | None:
        """Return a sentence about what is wrong with the avatar of a twin, or None."""
        result = self._load_cached(twin)
        return _problem_sentence(twin, result) if isinstance(result, InvalidAvatar) else None

    def find_by_name(self, name: str, twins: Iterable[Twin]) -> Image | None:
        """Return the image with this name if it is the avatar of one of these twins, else None."""
        images = (self.image_of(twin) for twin in twins)
        return next((image for image in images if image and image.name == name), None)

    def retain_only(self, twins: Iterable[Twin]) -> None:
        """Drop the cached images of twins that are not in `twins`."""
        with self._lock:
            for twin_id in self._cache.keys() - {twin.id for twin in twins}:
                del self._cache[twin_id]

    def _load_cached(self, twin: Twin) -> Image | InvalidAvatar | None:
        avatar_path = twin.front_matter.avatar
        if not avatar_path or has_external_avatar(twin):
            return None
        with self._lock:
            stamp = file_stamp.stamp(self.folder / avatar_path)
            cache_entry = self._cache.get(twin.id)
            if cache_entry and cache_entry[:2] == (avatar_path, stamp):
                return cache_entry[2]
            result = _load(self.folder, avatar_path)
            self._cache[twin.id] = avatar_path, stamp, result
        if isinstance(result, InvalidAvatar):
            logger.warning("Avatar not shown: %s", _problem_sentence(twin, result))
        return result


def _load(folder: Path, avatar_path: str) -> Image | InvalidAvatar:
    try:
        content = file_stamp.read_file(
            _resolve_inside(folder, avatar_path), max_bytes=MAX_AVATAR_BYTES
        )
    except (InvalidAvatar, file_stamp.UnreadableFile) as error:
        return InvalidAvatar(str(error))
    if media_type := detect_media_type(content):
        extension = media_type.removeprefix("image/").replace("jpeg", "jpg")
        return Image(f"{hashlib.sha256(content).hexdigest()}.{extension}", media_type, content)
    if avatar_path.lower().endswith(".svg") or b"<svg" in content[:1024].lower():
        return InvalidAvatar("is an SVG, which can contain scripts; use PNG, JPEG, WebP or GIF")
    return InvalidAvatar("is not PNG, JPEG, WebP or GIF")


def _resolve_inside(folder: Path, avatar_path: str) -> Path:
    """Return the path with symbolic links resolved.

    Raises InvalidAvatar if the path is a URL, is absolute or contains "..". Raises UnreadableFile
    if a symbolic link is broken or leads out of the folder.
    """
    if "://" in avatar_path:
        raise InvalidAvatar("is not an https:// URL")
    relative_path = PurePosixPath(avatar_path)
    if relative_path.is_absolute() or ".." in relative_path.parts:
        raise InvalidAvatar("is outside the twins folder")
    return file_stamp.resolve_inside(folder, avatar_path)


def _problem_sentence(twin: Twin, problem: InvalidAvatar) -> str:
    return (
        f"{twin.id}.md: line {twin.avatar_line}: the avatar {twin.front_matter.avatar} {problem}."
    )
