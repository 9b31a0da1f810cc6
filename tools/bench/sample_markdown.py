"""The replies of the scripted service: Markdown as models write it, in deltas of 16 bytes."""

from __future__ import annotations

import random
from dataclasses import dataclass

DELTA_BYTES = 16
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
    """A complete reply.

    `end` is its last sentence. `marker_count` is the number of its marks, "No. 1" to the last.
    """

    text: str
    end: str
    marker_count: int

    @property
    def deltas(self) -> list[str]:
        """Return the reply in pieces of 16 bytes."""
        return [self.text[i : i + DELTA_BYTES] for i in range(0, len(self.text), DELTA_BYTES)]


def make_reply(kind: str, deltas: int, tag: str) -> Reply:
    """Return a reply of this many deltas; `list` and `code` have a fixed length."""
    markdown = MarkdownWriter()
    end = f"That was reply {tag}."
    size = deltas * DELTA_BYTES - len(end) - 2
    match kind:
        case "list":
            body = markdown.long_list(LIST_BYTES - len(end) - 2)
        case "code":
            body = markdown.code_block(CODE_LINES)
        case _:
            body = markdown.mixed(size)
    return Reply(f"{body.rstrip()}\n\n{end}", end, markdown.marker_count)


class MarkdownWriter:
    """A generator of Markdown that always produces the same text."""

    def __init__(self) -> None:
        self.rng = random.Random(5)  # noqa: S311
        self.marker_count = 0

    def mixed(self, size: int) -> str:
        """Write headings, paragraphs, lists, tables, quotations and code."""
        blocks = (
            self.heading,
            self.paragraph,
            self.paragraph,
            self.bullet_list,
            self.paragraph,
            lambda: self.code_block(8),
            self.paragraph,
            self.table,
            self.quotation,
            self.numbered_list,
        )
        text = ""
        while True:
            for block in blocks:
                block_text = block()
                if len(text) + len(block_text) > size:
                    self.marker_count -= block_text.count("No. ")
                    return text + self.filler(size - len(text))
                text += block_text

    def filler(self, size: int) -> str:
        """Write plain words of exactly this length."""
        return (self.random_words(size // 4 + 1) + " " * size)[:size].rstrip().ljust(size, ".")

    def heading(self) -> str:
        """Write a heading."""
        return f"## {self.next_marker()}: {self.random_words(4)}\n\n"

    def paragraph(self) -> str:
        """Write a paragraph with some emphasis, code and a link."""
        return (
            f"{self.next_marker()} {self.random_words(18)}, **{self.random_words(2)}**, "
            f"{self.random_words(14)} `{self.random_words(1)}()` and *{self.random_words(2)}*. "
            f"{self.random_words(12).capitalize()} [{self.random_words(2)}]"
            f"(https://example.org/{self.random_words(1)}), {self.random_words(9)}.\n\n"
        )

    def bullet_list(self) -> str:
        """Write a list with a nested list."""
        items = [f"- **{self.random_words(1)}**: {self.random_words(9)}\n" for _ in range(4)]
        nested_items = [f"  - {self.random_words(6)}\n" for _ in range(2)]
        return "".join([*items[:2], *nested_items, *items[2:]]) + "\n"

    def numbered_list(self) -> str:
        """Write a numbered list."""
        return "".join(f"{n}. {self.random_words(8)}\n" for n in range(1, 5)) + "\n"

    def quotation(self) -> str:
        """Write a quotation."""
        return f"> {self.random_words(16)}\n> {self.random_words(8)}\n\n"

    def table(self) -> str:
        """Write a table."""
        rows = [
            f"| {self.random_words(1)} | {self.rng.randrange(999)} | {self.random_words(4)} |\n"
            for _ in "abcd"
        ]
        return f"| part | number | what it does |\n|---|---:|---|\n{''.join(rows)}\n"

    def code_block(self, line_count: int) -> str:
        """Write a block of Python."""
        statements = [
            f"    {self.random_words(1)}_{n} = measure({self.rng.randrange(999)})"
            f"  # {self.next_marker()}\n"
            for n in range(line_count - 1)
        ]
        return "```python\ndef run(engine):\n" + "".join(statements) + "```\n\n"

    def long_list(self, size: int) -> str:
        """Write one list of about this many bytes."""
        items: list[str] = []
        length = 0
        while length < size:
            items.append(
                f"- {self.next_marker()} {self.random_words(9)}, `{self.random_words(1)}`\n"
            )
            length += len(items[-1])
        return "".join(items)[:size]

    def next_marker(self) -> str:
        """Write the next mark, which shows how much of a reply is visible."""
        self.marker_count += 1
        return f"No. {self.marker_count}"

    def random_words(self, count: int) -> str:
        """Write random words."""
        return " ".join(self.rng.choices(WORDS, k=count))
