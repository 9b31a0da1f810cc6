"""Avatars: pictures in the folder of the twins, told by their bytes and named by their content."""

from __future__ import annotations

import hashlib
import logging
import re
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from service.twins import file_stamp
from service.twins.twin import Twin

logger = logging.getLogger(__name__)

MAX_BYTES = 1024 * 1024
ELSEWHERE = re.compile(r"https://[^\s/]\S*")
KINDS = (
    (re.compile(rb"\x89PNG\r\n\x1a\n"), "png", "image/png"),
    (re.compile(rb"\xff\xd8\xff"), "jpg", "image/jpeg"),
    (re.compile(rb"RIFF.{4}WEBP", re.DOTALL), "webp", "image/webp"),
    (re.compile(rb"GIF8[79]a"), "gif", "image/gif"),
)


def is_elsewhere(twin: Twin) -> bool:
    """Tell whether the avatar of a twin is an address in the web."""
    return bool(ELSEWHERE.fullmatch(twin.about.avatar))


class NoPicture(Exception):
    """Raised for an avatar that cannot be shown; the text says what it is instead."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture. Its name is the SHA-256 of its content, and tells nothing of whose it is."""

    name: str
    type: str
    content: bytes = field(repr=False)


class Avatars:
    """Read the pictures of twins, each once after a change. A twin never vanishes for a picture."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._known: dict[str, tuple[str, file_stamp.Stamp | None, Picture | NoPicture]] = {}
        self._lock = threading.Lock()

    def of(self, twin: Twin) -> Picture | None:
        """Return the picture of a twin, if it has one here."""
        found = self._look(twin)
        return found if isinstance(found, Picture) else None

    def problem(self, twin: Twin) -> str | None:
        """Return what is wrong with the avatar of a twin."""
        found = self._look(twin)
        return _sentence(twin, found) if isinstance(found, NoPicture) else None

    def find(self, name: str, twins: Iterable[Twin]) -> Picture | None:
        """Return the picture of that name, if one of these twins has it now."""
        pictures = (self.of(twin) for twin in twins)
        return next((picture for picture in pictures if picture and picture.name == name), None)

    def forget_all_but(self, twins: Iterable[Twin]) -> None:
        """Let go of the pictures of twins that are gone."""
        with self._lock:
            for gone in self._known.keys() - {twin.id for twin in twins}:
                del self._known[gone]

    def _look(self, twin: Twin) -> Picture | NoPicture | None:
        given = twin.about.avatar
        if not given or is_elsewhere(twin):
            return None
        with self._lock:
            stamp = file_stamp.stamp(self.folder / given)
            known = self._known.get(twin.id)
            if known and known[:2] == (given, stamp):
                return known[2]
            found = _read(self.folder, given)
            self._known[twin.id] = given, stamp, found
        if isinstance(found, NoPicture):
            logger.warning("This avatar is not shown: %s", _sentence(twin, found))
        return found


def _read(folder: Path, given: str) -> Picture | NoPicture:
    try:
        content = file_stamp.read(_inside(folder, given), most=MAX_BYTES)
    except (NoPicture, file_stamp.Unreadable) as error:
        return NoPicture(str(error))
    for beginning, extension, kind in KINDS:
        if beginning.match(content):
            return Picture(f"{hashlib.sha256(content).hexdigest()}.{extension}", kind, content)
    if given.lower().endswith(".svg") or b"<svg" in content[:1024].lower():
        return NoPicture("is SVG, which can hold scripts; take PNG, JPEG, WebP or GIF")
    return NoPicture("is not PNG, JPEG, WebP or GIF")


def _inside(folder: Path, given: str) -> Path:
    """Return the path, wherever its links lead, if that is in the folder. Raises NoPicture."""
    if "://" in given:
        raise NoPicture("is no address that begins with https://")
    try:
        path = (folder / given).resolve()
    except (OSError, RuntimeError):  # a link that leads to itself
        raise NoPicture("is a link that leads nowhere") from None
    place = PurePosixPath(given)
    if place.is_absolute() or ".." in place.parts or not path.is_relative_to(folder.resolve()):
        raise NoPicture("leads out of the folder of the twins")
    return path


def _sentence(twin: Twin, problem: NoPicture) -> str:
    return f"{twin.id}.md: line {twin.avatar_line}: the avatar {twin.about.avatar} {problem}."
