"""Passages: the parts of a Markdown or text file that are found and quoted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

MAX_PASSAGE_CHARACTERS = 900
ALSO_ASKED = "Also asked:"

_HEADING = re.compile(r"(#{1,6})[ \t]+(.*)$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
# Where a long block may be split, the best place first: lines, sentences, words.
_BREAKS = (
    re.compile(r"\n"),
    re.compile("(?<=[.!?…])\\s+|(?<=[\u3002\uff01\uff1f])"),
    re.compile(r"\s+"),
)


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a file that can be quoted alone.

    `headings` is the path of headings that leads to the passage, the outermost first. `questions`
    are other words for what its section answers.
    """

    headings: tuple[str, ...]
    text: str
    questions: tuple[str, ...] = ()

    @property
    def heading(self) -> str:
        """Return the innermost heading."""
        return self.headings[-1]


@dataclass(slots=True)
class _Section:
    headings: tuple[str, ...]
    blocks: list[str] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)


def split_into_passages(text: str, title: str) -> Sequence[Passage]:
    """Split a file into passages of at most `MAX_PASSAGE_CHARACTERS`.

    A passage has whole blocks (paragraphs, lists, tables, code) of one section; only a block that
    is too long is split. `title` is the heading of what precedes the first heading. A line that
    begins with "Also asked:" belongs to its section: questions, separated by "|".
    """
    return [
        Passage(section.headings, passage, tuple(section.questions))
        for section in _sections(text, title)
        for passage in _join_blocks(section.blocks)
    ]


def _sections(text: str, title: str) -> Sequence[_Section]:
    sections = [_Section((title,))]
    open_headings: list[tuple[int, str]] = []
    for block in _blocks(text):
        if match := _HEADING.match(block):
            level = len(match[1])
            open_headings = [each for each in open_headings if each[0] < level]
            open_headings.append((level, _without_closing_marks(match[2]) or title))
            sections.append(_Section(tuple(heading for _, heading in open_headings)))
        elif block.startswith(ALSO_ASKED):
            questions = block.removeprefix(ALSO_ASKED).replace("\n", " ").split("|")
            sections[-1].questions += [question.strip() for question in questions]
        else:
            sections[-1].blocks.append(block)
    return sections


def _without_closing_marks(heading: str) -> str:
    """Return a heading without the # at its end, which follow a space (CommonMark 4.2)."""
    text = heading.strip()
    start = text.rstrip("#")
    return start.strip() if not start or start[-1] in " \t" else text


def _blocks(text: str) -> Iterator[str]:
    """Yield the blocks of a text, which blank lines separate; a heading is a block of its own."""
    lines: list[str] = []
    fence = ""
    for line in [*text.splitlines(), ""]:
        is_in_code = bool(fence)
        if match := _FENCE.match(line):
            if not fence:
                fence = match[1]
            elif match[1].startswith(fence):
                fence = ""
        is_heading = not is_in_code and bool(_HEADING.match(line))
        if lines and (is_heading or not (line.strip() or is_in_code)):
            yield "\n".join(lines)
            lines = []
        if is_heading:
            yield line
        elif line.strip() or is_in_code:
            lines.append(line)
    if lines:  # code that does not end
        yield "\n".join(lines)


def _join_blocks(blocks: Sequence[str]) -> Iterator[str]:
    """Yield passages: as many whole blocks as fit."""
    passage = ""
    for block in blocks:
        for part in _split_block(block):
            joined = f"{passage}\n\n{part}" if passage else part
            if len(joined) <= MAX_PASSAGE_CHARACTERS:
                passage = joined
                continue
            yield passage
            passage = part
    if passage:
        yield passage


def _split_block(block: str) -> Iterator[str]:
    """Split a block that is too long: between lines, or else sentences, words or characters."""
    while len(block) > MAX_PASSAGE_CHARACTERS:
        start = block[: MAX_PASSAGE_CHARACTERS + 1]
        ends = (max((m.start() for m in pattern.finditer(start)), default=0) for pattern in _BREAKS)
        end = next(filter(None, ends), MAX_PASSAGE_CHARACTERS)
        yield block[:end].rstrip()
        block = block[end:].lstrip("\n")
    if block.strip():
        yield block
