"""The syntax tree of a Markdown text, parsed by comrak."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import comrak

# URLs in brackets are linked, too.
PARSING = comrak.ParseOptions(relaxed_autolinks=True)
# comrak-ext 0.2.8 recurses into a tree: about 25,000 levels overflow the stack of a thread, and end
# the process. Each level takes a character.
MAX_UNCHECKED_CHARACTERS = 10_000
MAX_DEPTH = 1_000
_ELEMENT = re.compile(r"<(/?)(?:blockquote|ul|ol|li|em|strong|del)\b[^>]*>")
# Images in the description of an image have no elements.
_IMAGE = re.compile(r"!\[|(\])")


class NestedTooDeeply(Exception):
    """Raised for a source whose tree would overflow the stack."""


@contextmanager
def parsed_tree(source: str, extensions: comrak.ExtensionOptions) -> Iterator[comrak.AstNode]:
    """Provide the syntax tree of a source, with line numbers from 1. Raises NestedTooDeeply.

    comrak-ext 0.2.8 never frees a tree, because nodes and their children refer to each other. The
    tree is taken apart afterwards.
    """
    if len(source) > MAX_UNCHECKED_CHARACTERS:
        html = comrak.markdown_to_html(source, extensions, PARSING)  # does not recurse
        if max(_depth(_ELEMENT, html), _depth(_IMAGE, source)) > MAX_DEPTH:
            raise NestedTooDeeply
    root = comrak.parse_document(source, extensions, PARSING)
    try:
        yield root
    finally:
        for node in walk(root):
            node.children = []


def walk(node: comrak.AstNode) -> Iterator[comrak.AstNode]:
    """Yield a node and all nodes below it, in the order of the text."""
    nodes = [node]
    while nodes:
        nodes += reversed((node := nodes.pop()).children)
        yield node


def _depth(pattern: re.Pattern[str], text: str) -> int:
    """Return how deep matches are nested; those that close one have a text in group 1."""
    depth = deepest = 0
    for match in pattern.finditer(text):
        depth = max(0, depth - 1) if match[1] else depth + 1
        deepest = max(deepest, depth)
    return deepest
