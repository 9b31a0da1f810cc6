"""Avatar images in the twins folder. The content of an image determines its type and name."""

from __future__ import annotations

import hashlib
import logging
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath

from twindow.core.images import detect_media_type
from twindow.service import file_stamp
from twindow.service.file_stamp import UnreadableFile
from twindow.service.twins.twin import Twin

logger = logging.getLogger(__name__)

MAX_AVATAR_BYTES = 1024 * 1024
EXTERNAL_URL = re.compile(r"https://[^\s/]\S*")


@dataclass(frozen=True, slots=True)
class Image:
    """An avatar image. The name is the SHA-256 of the content, so it does not reveal the twin."""

    name: str
    media_type: str
    path: Path

    def read(self) -> bytes:
        """Return the content. Raises UnreadableFile."""
        return file_stamp.read_file(self.path, max_bytes=MAX_AVATAR_BYTES)


def has_external_avatar(twin: Twin) -> bool:
    """Return whether the avatar of a twin is an https URL."""
    return bool(EXTERNAL_URL.fullmatch(twin.front_matter.avatar))


def avatar_problem(folder: Path, twin: Twin) -> str:
    """Return a sentence about what is wrong with the avatar of a twin, or ""."""
    result = find_avatar(folder, twin)
    place = f"{twin.id}.md: line {twin.avatar_line}: the avatar {twin.front_matter.avatar}"
    return f"{place} {result}." if isinstance(result, str) else ""


def find_avatar(folder: Path, twin: Twin) -> Image | str | None:
    """Return the local avatar of a twin, what is wrong with it, or None if there is none."""
    avatar_path = twin.front_matter.avatar
    if not avatar_path or has_external_avatar(twin):
        return None
    return _identify(folder, avatar_path, file_stamp.stamp(folder / avatar_path))


@lru_cache(maxsize=10_000)
def _identify(folder: Path, avatar_path: str, _stamp: file_stamp.Stamp | None) -> Image | str:
    """Return an image or what is wrong with it, once until its stamp changes."""
    try:
        return _load(folder, avatar_path)
    except UnreadableFile as error:
        logger.warning("Avatar not shown: %s %s.", avatar_path, error)
        return str(error)


def _load(folder: Path, avatar_path: str) -> Image:
    path = _resolve_inside(folder, avatar_path)
    content = file_stamp.read_file(path, max_bytes=MAX_AVATAR_BYTES)
    if media_type := detect_media_type(content):
        extension = media_type.removeprefix("image/").replace("jpeg", "jpg")
        return Image(f"{hashlib.sha256(content).hexdigest()}.{extension}", media_type, path)
    if avatar_path.lower().endswith(".svg") or b"<svg" in content[:1024].lower():
        raise UnreadableFile("is an SVG, which can contain scripts; use PNG, JPEG, WebP or GIF")
    raise UnreadableFile("is not PNG, JPEG, WebP or GIF")


def _resolve_inside(folder: Path, avatar_path: str) -> Path:
    """Return the path with symbolic links resolved.

    Raises UnreadableFile for a URL, an absolute path, "..", and a link that is broken or leads out.
    """
    if "://" in avatar_path:
        raise UnreadableFile("is not an https:// URL")
    relative_path = PurePosixPath(avatar_path)
    if relative_path.is_absolute() or ".." in relative_path.parts:
        raise UnreadableFile("is outside the twins folder")
    return file_stamp.resolve_inside(folder, avatar_path)
