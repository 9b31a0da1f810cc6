"""The texts of measured replies: Markdown as models write it, and the most expensive Markdown.

Each text is always the same.
"""

from __future__ import annotations

import random
import re

DELTA_LENGTH = 16
LIST_LENGTH = 48 * 1024
CODE_LINES = 300
LONG_LENGTH = 450_000
LONG_DELTA_LENGTH = 2_000

_WORDS = (
    "the engine turns heat into motion and every stroke of its piston pushes a wheel a little "
    "further while water boils steam expands cools and returns so that nothing is lost but warmth "
    "which is why people who built it first measured pressure before they measured speed"
)
WORDS = _WORDS.split()
# {4} stands for four random words.
PARAGRAPH = """\
{18}, **{2}**, {14} `{1}()` and *{2}*. {12} [{2}](https://example.org/{1}), {9}.

"""
CODE_LINE = "    {1}_{1} = measure(7)  # {3}\n"
MIXED = f"""\
## {{4}}

{PARAGRAPH}{PARAGRAPH}- **{{1}}**: {{9}}
- **{{1}}**: {{9}}
  - {{6}}
  - {{6}}
- **{{1}}**: {{9}}

{PARAGRAPH}```python
def run(engine):
{CODE_LINE * 7}```

{PARAGRAPH}| part | number | what it does |
|---|---:|---|
| {{1}} | 412 | {{4}} |
| {{1}} | 7 | {{4}} |

> {{16}}
> {{8}}

1. {{8}}
2. {{8}}

"""

# Markdown constructs, each of which is repeated in a long reply.
CONSTRUCTS = {
    "autolinks": "<http://b.example> ",
    "blank lines": "\n",
    "brackets": "[",
    "code fences": "```\nx\n```\n\n",
    "code spans": "`a` ",
    "emphasis": "*a* ",
    "entities": "&amp; ",
    "footnotes": "[^1]",
    "formulas": "$x^2$ ",
    "hard breaks": "a\\\n",
    "headings": "# a\n",
    "HTML blocks": "<div>\n\n",
    "HTML comments": "<!-- ",
    "HTML elements": "<b>a</b> ",
    "images": "![a](http://b.example/c) ",
    "indented code": "    a\n",
    "links": "[a](http://b.example) ",
    "lists": "- a\n",
    "mixed lists": "- a\n  1. b\n     > c\n\n",
    "nested lists": "- " * 39 + "a\n\nb\n\n",
    "numbered lists": "1. a\n",
    "open delimiters": "*a ",
    "paragraphs": "a\n\n",
    "processing instructions": "<?",
    "Python code": "def f(x): return 'a'  # b\n",
    "Python fences": "```python\nx = 1\n```\n\n",
    "quotes": "> a\n\n",
    "reference definitions": "[a]: http://b.example\n",
    "references": "[a] ",
    "rules": "---\n\n",
    "small tables": "|a|b|\n|-|-|\n|c|d|\n\n",
    "strikethrough": "~~a~~ ",
    "table rows": "| a | *b* | `c` | d |\n",
    "tasks": "- [ ] a\n",
    "words": "hello ",
}
STARTS = {
    "Python code": "```python\n",
    "table rows": "| a | b | c | d |\n|---|---|---|---|\n",
}
ENDS = {"footnotes": "\n\n[^1]: Note\n", "references": "\n\n[a]: http://b.example\n"}


def make_deltas(text: str, count: int, tag: str) -> list[str]:
    """Return the deltas of a reply.

    `text` is `mixed`, `list`, `code`, or a construct with underscores for spaces. Mixed Markdown
    has `count` deltas; the others have a fixed length. Without `text`, the deltas are TAG:0 and so
    on.
    """
    if not text:
        return [f"{tag}:{number} " for number in range(count)]
    if (construct := text.replace("_", " ")) in CONSTRUCTS:
        return _split(make_long_text(construct), LONG_DELTA_LENGTH)
    end, rng = "\n\n" + reply_end(tag), random.Random(5)  # noqa: S311
    if text == "list":
        body = _fill(rng, "- {9}, `{1}`\n" * 2_000)[: LIST_LENGTH - len(end)]
    elif text == "code":
        body = _fill(rng, f"```python\ndef run(engine):\n{CODE_LINE * (CODE_LINES - 1)}```")
    else:
        body = _mixed(rng, count * DELTA_LENGTH - len(end))
    return _split(body + end, DELTA_LENGTH)


def reply_end(tag: str) -> str:
    """Return the last sentence of a reply in Markdown."""
    return f"That was reply {tag}."


def make_long_text(construct: str, length: int = LONG_LENGTH) -> str:
    """Return a construct, repeated to this many characters."""
    unit = CONSTRUCTS[construct]
    body = unit * (length // len(unit))
    return STARTS.get(construct, "") + body + ENDS.get(construct, "")


def _mixed(rng: random.Random, length: int) -> str:
    """Return whole blocks of Markdown, and plain words up to exactly this length."""
    text = ""
    while len(text) < length:
        text += _fill(rng, MIXED)
    text = text[: text.rfind("\n\n", 0, length) + 2]
    words = " ".join(rng.choices(WORDS, k=length))
    return (text + words)[:length].rstrip().ljust(length, ".")


def _fill(rng: random.Random, template: str) -> str:
    return re.sub(r"\{(\d+)\}", lambda n: " ".join(rng.choices(WORDS, k=int(n[1]))), template)


def _split(text: str, length: int) -> list[str]:
    return [text[i : i + length] for i in range(0, len(text), length)]
