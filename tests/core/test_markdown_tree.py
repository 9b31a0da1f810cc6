"""Syntax trees of Markdown: none overflows the stack of a thread."""

from __future__ import annotations

import comrak
import pytest

from twindow.core.markdown_tree import NestedTooDeeply, parsed_tree, walk

COUNT = 40_000
DEEP = {
    "quotations": "> " * COUNT + "x",
    "emphasis": "*a _b " * COUNT + "x" + " b_ a*" * COUNT,
    "images": "![" * COUNT + "a" + "](x)" * COUNT,
    "images with escaped brackets": "![\\]" * COUNT + "a" + "](x)" * COUNT,
    "images with brackets": "![[]" * COUNT + "a" + "](x)" * COUNT,
    "images with code": "![`]`" * COUNT + "a" + "](x)" * COUNT,
    "emphasis in an image": "![" + "*a _b " * COUNT + "x" + " b_ a*" * COUNT + "](x)",
}


def test_source_that_is_nested_too_deeply_is_refused():
    for source in DEEP.values():
        with pytest.raises(NestedTooDeeply), parsed_tree(source, comrak.ExtensionOptions()):
            pass


def test_long_source_with_many_flat_blocks_is_parsed():
    source = "- *one* **two** [three](x) ![four](y)\n> five\n\n" * 4_000

    with parsed_tree(source, comrak.ExtensionOptions(table=True)) as tree:
        assert sum(1 for _ in walk(tree)) > 40_000
