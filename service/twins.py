"""Twins: one Markdown file each, front matter first, then the instructions."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec
import yaml

logger = logging.getLogger(__name__)

FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)^---[ \t]*\n?(.*)\Z", re.DOTALL | re.MULTILINE)


class BrokenTwin(Exception):
    """Raised for a file that is no twin; the text says which line of which file, and why."""


class Example(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An exchange that shows the model how the twin speaks."""

    said: str
    reply: str


class FrontMatter(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What stands before the instructions."""

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
    description: str = ""
    avatar: str | None = None
    greeting: str = ""
    starters: list[str] = []
    examples: list[Example] = []
    model: str | None = None
    temperature: Annotated[float, msgspec.Meta(ge=0, le=2)] | None = None
    frequency_penalty: Annotated[float, msgspec.Meta(ge=-2, le=2)] | None = None
    max_tokens: Annotated[int, msgspec.Meta(ge=1)] = 400


@dataclass(frozen=True, slots=True)
class Twin:
    """A twin. Its id is the name of its file; times are seconds since 1970."""

    id: str
    about: FrontMatter
    instructions: str
    updated_at: float


class Twins:
    """Read the twins in a folder. A changed file counts at once, a broken one is left out."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._read: dict[Path, tuple[tuple[int, int], Twin | BrokenTwin]] = {}

    def all(self) -> Sequence[Twin]:
        """Return all twins, by name."""
        found = (self._look(path) for path in sorted(self.folder.glob("*.md")))
        return sorted((t for t in found if isinstance(t, Twin)), key=lambda t: t.about.name)

    def find(self, twin_id: str) -> Twin | None:
        """Return a twin, or None."""
        return next((twin for twin in self.all() if twin.id == twin_id), None)

    def broken(self) -> Sequence[str]:
        """Return what is wrong with the files that are not shown."""
        found = (self._look(path) for path in sorted(self.folder.glob("*.md")))
        return [str(problem) for problem in found if isinstance(problem, BrokenTwin)]

    def _look(self, path: Path) -> Twin | BrokenTwin | None:
        try:
            stat = path.stat()
            stamp = (stat.st_mtime_ns, stat.st_size)
            known = self._read.get(path)
            if known and known[0] == stamp:
                return known[1]
            twin: Twin | BrokenTwin = read(path.stem, path.read_text("utf-8"), stat.st_mtime)
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError, BrokenTwin) as error:
            twin = BrokenTwin(f"{path.name}: {error}")
            logger.warning("This twin is not shown: %s", twin)
        self._read[path] = (stamp, twin)
        return twin


def read(twin_id: str, text: str, updated_at: float) -> Twin:
    """Read a twin from the text of its file. Raises BrokenTwin."""
    parts = FRONT_MATTER.match(text.replace("\r\n", "\n"))
    if not parts:
        raise BrokenTwin("line 1: front matter between two lines of --- is missing.")
    try:
        about = msgspec.convert(yaml.safe_load(parts[1]) or {}, FrontMatter)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 2 if error.problem_mark else 1
        raise BrokenTwin(f"line {line}: {error.problem}.") from None
    except yaml.YAMLError as error:
        raise BrokenTwin(f"line 1: {error}.") from None
    except msgspec.ValidationError as error:
        raise BrokenTwin(f"line {_line_of(error, parts[1])}: {error}.") from None
    return Twin(twin_id, about, parts[2].strip(), updated_at)


def _line_of(error: msgspec.ValidationError, front_matter: str) -> int:
    """Find the line of the field that the error names."""
    field = re.search(r"\$\.(\w+)|unknown field `(\w+)`", str(error))
    name = (field[1] or field[2]) if field else None
    lines = enumerate(front_matter.split("\n"), 2)
    return next((number for number, line in lines if name and line.startswith(f"{name}:")), 1)
