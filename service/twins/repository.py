"""The folder of the twins: a changed file counts at once, a broken one harms no other."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Sequence, Set
from pathlib import Path

from service.twins import file_stamp, parser
from service.twins.avatars import Avatars, Picture
from service.twins.twin import BrokenTwin, Twin

logger = logging.getLogger(__name__)


class Twins:
    """Read the twins in a folder, each file once after a change."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.avatars = Avatars(folder)
        self._known: dict[Path, tuple[file_stamp.Stamp | None, Twin | BrokenTwin]] = {}
        self._lock = threading.Lock()

    def all(self) -> Sequence[Twin]:
        """Return all twins, by name."""
        twins = [found for found in self._look_at_all() if isinstance(found, Twin)]
        self.avatars.forget_all_but(twins)
        return sorted(twins, key=lambda twin: twin.about.name)

    def all_for(self, sub: str, groups: Set[str]) -> Sequence[Twin]:
        """Return the twins that somebody may see, by name."""
        return [twin for twin in self.all() if twin.is_for(sub, groups)]

    def find_for(self, twin_id: str, sub: str, groups: Set[str]) -> Twin | None:
        """Return a twin, or None for what is not there and for what somebody may not see."""
        # An id is never a path: it may come from anybody.
        name = f"{twin_id}.md"
        if "/" in name or _hidden(name):
            return None
        found = self._look(self.folder / name)
        return found if isinstance(found, Twin) and found.is_for(sub, groups) else None

    def picture(self, name: str) -> Picture | None:
        """Return the picture of that name, if a twin has it as its avatar now."""
        return self.avatars.find(name, self.all())

    def problems(self) -> Sequence[str]:
        """Return what is wrong: with files that are no twins, and with avatars."""
        found = self._look_at_all()
        problems = (self.avatars.problem(t) if isinstance(t, Twin) else str(t) for t in found)
        return [problem for problem in problems if problem]

    def _look_at_all(self) -> Sequence[Twin | BrokenTwin]:
        paths = sorted(path for path in self.folder.glob("*.md") if not _hidden(path.name))
        with self._lock:
            for gone in self._known.keys() - set(paths):
                del self._known[gone]
        return [found for path in paths if (found := self._look(path))]

    def _look(self, path: Path) -> Twin | BrokenTwin | None:
        with self._lock:
            stamp = file_stamp.stamp(path)
            if stamp is None and not os.path.lexists(path):
                self._known.pop(path, None)
                return None
            known = self._known.get(path)
            if known and known[0] == stamp:
                return known[1]
            found = _load(path, stamp)
            self._known[path] = stamp, found
        if isinstance(found, BrokenTwin):
            logger.warning("This twin is not shown: %s", found)
        return found


def _load(path: Path, stamp: file_stamp.Stamp | None) -> Twin | BrokenTwin:
    try:
        return parser.load(path, stamp.modified_ns / 1e9 if stamp else 0)
    except BrokenTwin as error:
        name = path.name.encode("utf-8", "backslashreplace").decode()
        return BrokenTwin(f"{name}: {error}")


def _hidden(name: str) -> bool:
    """Tell what editors and mounted volumes put beside the files."""
    return name.startswith(".")
