"""The Markdown parser, comrak, with the options of replies."""

from __future__ import annotations

import comrak

from twindow.core.markdown_tree import PARSING

EXTENSIONS = comrak.ExtensionOptions(
    table=True,
    strikethrough=True,
    tasklist=True,
    autolink=True,
    math_dollars=True,
    math_latex=True,
    cjk_friendly_emphasis=True,
)
# Single line breaks are kept, as in poems and addresses.
_RENDERING = comrak.RenderOptions(escape=True, hardbreaks=True, compact_html=True)


def parser_html(source: str) -> str:
    """Return the HTML of a source that `placeholders.protect` has prepared."""
    html: str = comrak.markdown_to_html(source, EXTENSIONS, PARSING, _RENDERING)
    return html
