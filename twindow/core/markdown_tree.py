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
# Images may be nested, too.
MAX_IMAGES = 5_000
_ELEMENT = re.compile(r"<(/?)(?:blockquote|ul|ol|li|em|strong|del)\b[^>]*>")


class NestedTooDeeply(Exception):
    """Raised for a source whose tree would overflow the stack."""


@contextmanager
def parsed_tree(source: str, extensions: comrak.ExtensionOptions) -> Iterator[comrak.AstNode]:
    """Provide the syntax tree of a source, with line numbers from 1. Raises NestedTooDeeply.

    comrak-ext 0.2.8 never frees a tree, because nodes and their children refer to each other. The
    tree is taken apart afterwards.
    """
    if len(source) > MAX_UNCHECKED_CHARACTERS and _is_too_deep(source, extensions):
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


def _is_too_deep(source: str, extensions: comrak.ExtensionOptions) -> bool:
    """Return whether elements of the HTML, which comrak writes without recursion, are too deep."""
    if source.count("![") > MAX_IMAGES:
        return True
    # The description of an image is flat in the HTML, but not in the tree. That of a link is not.
    html = comrak.markdown_to_html(source.replace("![", "["), extensions, PARSING)
    depth = 0
    for element in _ELEMENT.finditer(html):
        depth += -1 if element[1] else 1
        if depth > MAX_DEPTH:
            return True
    return False
