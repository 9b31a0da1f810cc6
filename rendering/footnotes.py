"""Footnotes: the marks of `placeholders` become links, after sanitising.

A footnote keeps the label of the source, so that a growing reply does not renumber it.
"""

from __future__ import annotations

import re

from rendering.placeholders import DEFINITION, LABEL_END, REFERENCE, restore_marks

# References beyond this number get no link: a link is fifteen times as long as a plain number.
MAX_LINKED_REFERENCES = 1_000
_DEFINITIONS = re.compile(f"<p>({DEFINITION}.*?)</p>", re.DOTALL)
_NEXT_DEFINITION = re.compile(f"<br>\\s*(?={DEFINITION})")
_DEFINITION = re.compile(f"{DEFINITION}([^<{LABEL_END}]*){LABEL_END}:\\s*(.*)", re.DOTALL)
_DEFINED_LABEL = re.compile(f"{DEFINITION}([^<{LABEL_END}]*){LABEL_END}:")
_TAG_OR_REFERENCE = re.compile(f"(<[^>]*>)|{REFERENCE}([^<{LABEL_END}]*){LABEL_END}")


def add_links(clean_html: str, scope: str) -> str:
    """Add links from references to footnotes and back; their ids contain `scope`."""
    if LABEL_END not in clean_html:
        return clean_html
    defined_labels = set(_DEFINED_LABEL.findall(clean_html))
    seen_labels: set[str] = set()
    linked_count = 0

    def link_reference(match: re.Match[str]) -> str:
        nonlocal linked_count
        tag, label = match[1], match[2]
        if tag:
            return restore_marks(tag)
        if not (label.isdecimal() or label in defined_labels):
            return restore_marks(match[0])  # such as the regular expression [^abc]
        linked_count += 1
        if linked_count > MAX_LINKED_REFERENCES:
            return f"<sup>{label}</sup>"
        anchor = _anchor(label)
        id_attribute = "" if label in seen_labels else f' id="call-{scope}-{anchor}"'
        seen_labels.add(label)
        target = f"#note-{scope}-{anchor}"
        return f'<sup><a href="{target}" role="doc-noteref"{id_attribute}>{label}</a></sup>'

    def number_definitions(match: re.Match[str]) -> str:
        notes = map(_DEFINITION.fullmatch, _NEXT_DEFINITION.split(match[1]))
        return "\n".join(
            f'<div class="noted" id="note-{scope}-{_anchor(note[1])}"><b>{note[1]}</b><p>{note[2]} '
            f'<a href="#call-{scope}-{_anchor(note[1])}" role="doc-backlink">\u21a9</a></p></div>'
            for note in notes
            if note
        )

    clean_html = _DEFINITIONS.sub(number_definitions, clean_html)
    return restore_marks(_TAG_OR_REFERENCE.sub(link_reference, clean_html))


def _anchor(label: str) -> str:
    """Return the part of an id for a label; other characters than these would end an attribute."""
    return re.sub(r"[^\w.-]", "_", label)
