"""The Markdown parser, comrak, with the options of replies."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import comrak

_EXTENSIONS = comrak.ExtensionOptions(
    table=True,
    strikethrough=True,
    tasklist=True,
    autolink=True,
    math_dollars=True,
    math_latex=True,
    cjk_friendly_emphasis=True,
)
# URLs in brackets are linked, too.
_PARSING = comrak.ParseOptions(relaxed_autolinks=True)
# Single line breaks are kept, as in poems and addresses.
_RENDERING = comrak.RenderOptions(escape=True, hardbreaks=True, compact_html=True)


def parser_html(source: str) -> str:
    """Return the HTML of a source that `placeholders.protect` has prepared."""
    html: str = comrak.markdown_to_html(source, _EXTENSIONS, _PARSING, _RENDERING)
    return html


@contextmanager
def parsed_tree(
    source: str, extensions: comrak.ExtensionOptions = _EXTENSIONS
) -> Iterator[comrak.AstNode]:
    """Provide the syntax tree of a source, with line numbers from 1.

    comrak-ext 0.2.8 never frees a tree, because nodes and their children refer to each other. The
    tree is taken apart afterwards.
    """
    root = comrak.parse_document(source, extensions, _PARSING)
    try:
        yield root
    finally:
        nodes = [root]
        while nodes:
            node = nodes.pop()
            nodes += node.children
            node.children = []
