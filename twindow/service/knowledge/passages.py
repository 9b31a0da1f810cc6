"""Passages: the parts of a Markdown or text file that are found and quoted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import comrak

from twindow.core.markdown_tree import parsed_tree, walk
from twindow.core.panics import panics_as_errors

MAX_PASSAGE_CHARACTERS = 900
# Each passage of a section is found by its questions.
MAX_QUESTIONS = 100
# Code and tables are not split, up to this length.
MAX_BLOCK_CHARACTERS = 9_000
MAX_HEADING_CHARACTERS = 200

_EXTENSIONS = comrak.ExtensionOptions(table=True)
_LINE_END = re.compile(r"\r\n?|\n")
# A line of questions, which goes on after a "|" at its end.
_ALSO_ASKED = re.compile(r"^ {0,3}Also asked:((?:.*\|[ \t]*\n)*.*)\n?", re.MULTILINE)
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


class _Block(NamedTuple):
    """A block of Markdown (CommonMark 4) that is no part of another block.

    `level` is 1 to 6 for a heading.
    """

    kind: type
    text: str
    level: int = 0


@dataclass(slots=True)
class _Section:
    headings: tuple[str, ...]
    blocks: list[_Block] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)


@panics_as_errors
def split_into_passages(text: str, title: str) -> Sequence[Passage]:
    """Split a file into passages. Raises ParserPanicked and NestedTooDeeply.

    A passage has whole blocks (paragraphs, lists, tables, code) of one section, as many as fit into
    `MAX_PASSAGE_CHARACTERS`; only a block that is too long is split. `title` is the heading of what
    precedes the first heading. A line that begins with "Also asked:" belongs to its section:
    questions, separated by "|".
    """
    return [
        Passage(section.headings, passage, tuple(section.questions[:MAX_QUESTIONS]))
        for section in _sections(text, title)
        for passage in _join_blocks(section.blocks)
    ]


def _sections(text: str, title: str) -> Sequence[_Section]:
    sections = [_Section((title,))]
    open_headings: list[tuple[int, str]] = []
    for block in _blocks(text):
        if block.level:
            open_headings = [each for each in open_headings if each[0] < block.level]
            heading = block.text[:MAX_HEADING_CHARACTERS] or title
            open_headings.append((block.level, heading))
            sections.append(_Section(tuple(heading for _, heading in open_headings)))
            continue
        if block.kind is comrak.Paragraph:
            for line in _ALSO_ASKED.findall(block.text):
                questions = map(str.strip, line.split("|"))
                sections[-1].questions += filter(None, questions)
            block = block._replace(text=_ALSO_ASKED.sub("", block.text))
        if block.text.strip():
            sections[-1].blocks.append(block)
    return sections


def _blocks(text: str) -> Iterator[_Block]:
    """Yield the blocks of a text. The text of a heading has no marks."""
    lines = _LINE_END.split(text)
    with parsed_tree(text, _EXTENSIONS) as tree:
        for node in tree.children:
            kind, position = type(node.node_value), node.sourcepos
            if isinstance(node.node_value, comrak.Heading):
                heading = "".join(map(_plain_text, walk(node)))
                yield _Block(kind, " ".join(heading.split()), node.node_value.value.level)
            elif kind is not comrak.ThematicBreak:
                block = "\n".join(lines[position.start.line - 1 : position.end.line])
                yield _Block(kind, block.rstrip())


def _plain_text(node: comrak.AstNode) -> str:
    value = node.node_value
    if isinstance(value, comrak.SoftBreak | comrak.LineBreak):
        return " "
    if isinstance(value, comrak.Code):
        return str(value.value.literal)
    return str(value.value) if isinstance(value, comrak.Text) else ""


def _join_blocks(blocks: Sequence[_Block]) -> Iterator[str]:
    """Yield passages: as many whole blocks as fit."""
    passage = ""
    for block in blocks:
        for part in _split_block(block):
            joined = f"{passage}\n\n{part}" if passage else part
            if len(joined) <= MAX_PASSAGE_CHARACTERS:
                passage = joined
                continue
            if passage:
                yield passage
            passage = part
    if passage:
        yield passage


def _split_block(block: _Block) -> Iterator[str]:
    """Split a block that is too long: between lines, or else sentences, words or characters."""
    is_text = block.kind not in (comrak.CodeBlock, comrak.Table)
    if len(block.text) <= (MAX_PASSAGE_CHARACTERS if is_text else MAX_BLOCK_CHARACTERS):
        yield block.text
        return
    start = 0
    while piece := block.text[start : start + MAX_PASSAGE_CHARACTERS + 1]:
        if len(piece) > MAX_PASSAGE_CHARACTERS:
            ends = (max((m.start() for m in each.finditer(piece)), default=0) for each in _BREAKS)
            piece = piece[: next(filter(None, ends), MAX_PASSAGE_CHARACTERS)]
        start += len(piece)
        if text := piece.strip():  # an indentation would make code of the rest of a list
            yield text
