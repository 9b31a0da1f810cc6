"""Long replies that cost the most to render: every Markdown construct, repeated."""

from __future__ import annotations

LENGTH = 450_000
DELTA_LENGTH = 2_000

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


def make_long_text(construct: str, length: int = LENGTH) -> str:
    """Return a construct, repeated to this many characters."""
    unit = CONSTRUCTS[construct]
    body = unit * (length // len(unit))
    return STARTS.get(construct, "") + body + ENDS.get(construct, "")


def make_long_deltas(construct: str) -> list[str]:
    """Return a long reply in large pieces."""
    text = make_long_text(construct)
    return [text[i : i + DELTA_LENGTH] for i in range(0, len(text), DELTA_LENGTH)]
