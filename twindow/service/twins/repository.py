"""Repository of the twins in a folder.

Changes of the files apply at once. An invalid file hides only its own twin.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Collection, Sequence, Set
from pathlib import Path

from twindow.core.twin_groups import TwinPermissions
from twindow.service import file_stamp
from twindow.service.owners import PORTAL_OWNER
from twindow.service.pagination import Page
from twindow.service.twins import avatars, parser
from twindow.service.twins.avatars import Image
from twindow.service.twins.twin import InvalidTwinFile, Twin

logger = logging.getLogger(__name__)


class TwinRepository:
    """Cache of the twins in a folder, read again when a file changes. Thread-safe.

    Without a model (`has_model`), twins that need one are not listed.
    """

    def __init__(self, folder: Path, *, has_model: bool = True) -> None:
        self.folder = folder
        self.has_model = has_model
        self._cache: dict[Path, tuple[file_stamp.Stamp | None, Twin | InvalidTwinFile]] = {}
        self._last_valid: dict[Path, Twin] = {}
        self._lock = threading.Lock()

    def list_all(self) -> Sequence[Twin]:
        """Return all twins, sorted by name."""
        twins = [result for result in self._load_all() if isinstance(result, Twin)]
        return sorted(twins, key=lambda twin: (twin.front_matter.name, twin.id))

    def list_visible_to(self, sub: str, groups: Set[str]) -> Sequence[Twin]:
        """Return the twins that a person may see, sorted by name."""
        return [
            twin
            for twin in self.list_all()
            if twin.is_visible_to(sub, groups) and self._can_answer(twin)
        ]

    def names_without_model(self) -> str:
        """Return the ids of the twins that nobody sees because there is no model, or ""."""
        return ", ".join(twin.id for twin in self.list_all() if not self._can_answer(twin))

    def list_page(self, sub: str, groups: Set[str], page: int, limit: int) -> Page[Twin]:
        """Return one page of the twins that a person may see."""
        twins = self.list_visible_to(sub, groups)
        start = (page - 1) * limit
        return Page(twins[start : start + limit], len(twins))

    def find_visible_to(self, twin_id: str, sub: str, groups: Set[str]) -> Twin | None:
        """Return a twin, or None if it does not exist or the person may not see it."""
        # Ids are untrusted input: never treat one as a path.
        file_name = f"{twin_id}.md"
        if "/" in file_name or _is_hidden(file_name):
            return None
        result = self._load_cached(self.folder / file_name)
        if not isinstance(result, Twin) or not result.is_visible_to(sub, groups):
            return None
        return result if self._can_answer(result) else None

    def needs_model(self, twin_id: str) -> bool:
        """Return whether the replies of a twin are written by a model."""
        return any(twin.needs_model for twin in self.list_all() if twin.id == twin_id)

    def portal_permissions(self, groups: Collection[str]) -> TwinPermissions:
        """Return the twins that the portal shows to a person in these groups.

        While the file of a twin is invalid or missing, its last valid version decides.
        """
        self._load_all()
        twins = list(self._last_valid.values())
        person_groups = set(groups)
        hidden = {t.id for t in twins if not t.is_visible_to(PORTAL_OWNER, person_groups)}
        # Nobody sees a twin whose file has not been valid since the start.
        hidden |= {path.stem for path in self._cache.keys() - self._last_valid.keys()}
        return TwinPermissions(frozenset(hidden))

    def find_avatar(self, twin: Twin) -> Image | None:
        """Return the local avatar of a twin, or None. A problem with it never hides the twin."""
        avatar = avatars.find_avatar(self.folder, twin)
        return avatar if isinstance(avatar, Image) else None

    def find_image(self, name: str) -> Image | None:
        """Return the image with this name if it is the avatar of a twin, else None."""
        images = map(self.find_avatar, self.list_all())
        return next((image for image in images if image and image.name == name), None)

    def problems(self) -> Sequence[str]:
        """Return a sentence about each invalid twin file and each unusable avatar."""
        problems = (
            avatars.avatar_problem(self.folder, result) if isinstance(result, Twin) else str(result)
            for result in self._load_all()
        )
        return [problem for problem in problems if problem]

    def _can_answer(self, twin: Twin) -> bool:
        return self.has_model or not twin.needs_model

    def _load_all(self) -> Sequence[Twin | InvalidTwinFile]:
        paths = sorted(path for path in self.folder.glob("*.md") if not _is_hidden(path.name))
        with self._lock:
            for removed_path in self._cache.keys() - set(paths):
                del self._cache[removed_path]
        return [result for path in paths if (result := self._load_cached(path))]

    def _load_cached(self, path: Path) -> Twin | InvalidTwinFile | None:
        with self._lock:
            stamp = file_stamp.stamp(path)
            if stamp is None and not os.path.lexists(path):
                self._cache.pop(path, None)
                return None
            cache_entry = self._cache.get(path)
            if cache_entry and cache_entry[0] == stamp:
                return cache_entry[1]
            result = _load(path, stamp)
            self._cache[path] = stamp, result
            if isinstance(result, Twin):
                self._last_valid[path] = result
        if isinstance(result, InvalidTwinFile):
            logger.warning("Twin not shown: %s", result)
        return result


def _load(path: Path, stamp: file_stamp.Stamp | None) -> Twin | InvalidTwinFile:
    try:
        return parser.load(path, stamp.modified_ns / 1e9 if stamp else 0)
    except InvalidTwinFile as error:
        name = path.name.encode("utf-8", "backslashreplace").decode()
        return InvalidTwinFile(f"{name}: {error}")


def _is_hidden(name: str) -> bool:
    """Return whether a file is hidden. Editors and mounted volumes create hidden files."""
    return name.startswith(".")
