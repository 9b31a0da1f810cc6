"""What the scripted service says: Markdown as models write it, in pieces of 16 bytes."""

from __future__ import annotations

import random
from dataclasses import dataclass

PIECE = 16
LIST_BYTES = 48 * 1024
CODE_LINES = 300

TEXT = (
    "the engine turns heat into motion and every stroke of its piston pushes a wheel a little "
    "further while water boils steam expands cools and returns so that nothing is lost but warmth "
    "which is why people who built it first measured pressure before they measured speed"
)
WORDS = TEXT.split()


@dataclass(frozen=True)
class Reply:
    """A whole reply; its last words are `end`, and `parts` counts the marks "No. 1" to the last."""

    text: str
    end: str
    parts: int

    @property
    def pieces(self) -> list[str]:
        """Return the reply in pieces of 16 bytes."""
        return [self.text[i : i + PIECE] for i in range(0, len(self.text), PIECE)]


def reply(kind: str, deltas: int, tag: str) -> Reply:
    """Write a reply of so many deltas; `list` and `code` have a length of their own."""
    writer = Writer()
    end = f"That was reply {tag}."
    room = deltas * PIECE - len(end) - 2
    match kind:
        case "list":
            body = writer.long_list(LIST_BYTES - len(end) - 2)
        case "code":
            body = writer.code(CODE_LINES)
        case _:
            body = writer.mixed(room)
    return Reply(f"{body.rstrip()}\n\n{end}", end, writer.parts)


class Writer:
    """Write Markdown, always the same."""

    def __init__(self) -> None:
        self.dice = random.Random(5)  # noqa: S311
        self.parts = 0

    def mixed(self, room: int) -> str:
        """Write headings, paragraphs, lists, tables, quotations and code."""
        blocks = (
            *(self.heading, self.paragraph, self.paragraph, self.bullets, self.paragraph),
            *(lambda: self.code(8), self.paragraph, self.table, self.quotation, self.numbers),
        )
        text = ""
        while True:
            for block in blocks:
                written = block()
                if len(text) + len(written) > room:
                    self.parts -= written.count("No. ")
                    return text + self.filling(room - len(text))
                text += written

    def filling(self, room: int) -> str:
        """Write plain words of exactly this length."""
        return (self.words(room // 4 + 1) + " " * room)[:room].rstrip().ljust(room, ".")

    def heading(self) -> str:
        """Write a heading."""
        return f"## {self.number()}: {self.words(4)}\n\n"

    def paragraph(self) -> str:
        """Write a paragraph with some emphasis, code and a link."""
        return (
            f"{self.number()} {self.words(18)}, **{self.words(2)}**, {self.words(14)} "
            f"`{self.words(1)}()` and *{self.words(2)}*. {self.words(12).capitalize()} "
            f"[{self.words(2)}](https://example.org/{self.words(1)}), {self.words(9)}.\n\n"
        )

    def bullets(self) -> str:
        """Write a list with one inside it."""
        items = [f"- **{self.words(1)}**: {self.words(9)}\n" for _ in range(4)]
        inside = [f"  - {self.words(6)}\n" for _ in range(2)]
        return "".join([*items[:2], *inside, *items[2:]]) + "\n"

    def numbers(self) -> str:
        """Write a numbered list."""
        return "".join(f"{n}. {self.words(8)}\n" for n in range(1, 5)) + "\n"

    def quotation(self) -> str:
        """Write a quotation."""
        return f"> {self.words(16)}\n> {self.words(8)}\n\n"

    def table(self) -> str:
        """Write a table."""
        rows = [
            f"| {self.words(1)} | {self.dice.randrange(999)} | {self.words(4)} |\n" for _ in "abcd"
        ]
        return f"| part | number | what it does |\n|---|---:|---|\n{''.join(rows)}\n"

    def code(self, lines: int) -> str:
        """Write a block of Python."""
        written = [
            f"    {self.words(1)}_{n} = measure({self.dice.randrange(999)})  # {self.number()}\n"
            for n in range(lines - 1)
        ]
        return "```python\ndef run(engine):\n" + "".join(written) + "```\n\n"

    def long_list(self, size: int) -> str:
        """Write one list of about this many bytes."""
        items: list[str] = []
        length = 0
        while length < size:
            items.append(f"- {self.number()} {self.words(9)}, `{self.words(1)}`\n")
            length += len(items[-1])
        return "".join(items)[:size]

    def number(self) -> str:
        """Write the next mark, by which one sees how far a reply is shown."""
        self.parts += 1
        return f"No. {self.parts}"

    def words(self, count: int) -> str:
        """Write some words."""
        return " ".join(self.dice.choices(WORDS, k=count))
