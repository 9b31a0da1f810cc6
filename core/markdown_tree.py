"""The syntax tree of a Markdown text, parsed by comrak."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import comrak

# URLs in brackets are linked, too.
PARSING = comrak.ParseOptions(relaxed_autolinks=True)


@contextmanager
def parsed_tree(source: str, extensions: comrak.ExtensionOptions) -> Iterator[comrak.AstNode]:
    """Provide the syntax tree of a source, with line numbers from 1.

    comrak-ext 0.2.8 never frees a tree, because nodes and their children refer to each other. The
    tree is taken apart afterwards.
    """
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
