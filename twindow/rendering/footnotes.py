"""Footnotes: the marks of `placeholders` become links, after sanitising.

A footnote keeps the label of the source, so that a growing reply does not renumber it.
"""

from __future__ import annotations

import re

from twindow.rendering.placeholders import DEFINITION, LABEL_END, REFERENCE, restore_marks

# References beyond this number get no link: a link is fifteen times as long as a plain number.
MAX_LINKED_REFERENCES = 1_000
_DEFINITIONS = re.compile(f"<p>({DEFINITION}.*?)</p>", re.DOTALL)
_NEXT_DEFINITION = re.compile(f"<br>\\s*(?={DEFINITION})")
_DEFINITION = re.compile(f"{DEFINITION}([^<{LABEL_END}]*){LABEL_END}:\\s*(.*)", re.DOTALL)
_DEFINED_LABEL = re.compile(f"{DEFINITION}([^<{LABEL_END}]*){LABEL_END}:")
_START_TAG = re.compile("<(?!br>)[a-z]")
_TAG_OR_REFERENCE = re.compile(f"(<[^>]*>)|{REFERENCE}([^<{LABEL_END}]*){LABEL_END}")


def add_links(clean_html: str, scope: str) -> str:
    """Add links from references to footnotes and back; their ids contain `scope`."""
    if LABEL_END not in clean_html:
        return clean_html
    defined_labels = set(_DEFINED_LABEL.findall(clean_html))
    seen_labels: set[str] = set()
    numbered_labels: set[str] = set()
    linked_count = 0
    is_in_link = False

    def link_reference(match: re.Match[str]) -> str:
        nonlocal linked_count, is_in_link
        tag, label = match[1], match[2]
        if tag:
            is_in_link = tag.startswith("<a ") or (is_in_link and tag != "</a>")
            return restore_marks(tag)
        if not (label.isdecimal() or label in defined_labels):
            return restore_marks(match[0])  # such as the regular expression [^abc]
        linked_count += 1
        if linked_count > MAX_LINKED_REFERENCES or is_in_link:
            return f"<sup>{label}</sup>"
        anchor = _anchor(label)
        id_attribute = "" if label in seen_labels else f' id="call-{scope}-{anchor}"'
        seen_labels.add(label)
        target = f"#note-{scope}-{anchor}"
        return f'<sup><a href="{target}" role="doc-noteref"{id_attribute}>{label}</a></sup>'

    def number_definition(source: str) -> str:
        note = _DEFINITION.fullmatch(source)
        if not note:  # the label contains markup
            return f"<p>{source}</p>"
        label, text = note.groups()
        anchor = _anchor(label)
        id_attribute = "" if label in numbered_labels else f' id="note-{scope}-{anchor}"'
        numbered_labels.add(label)
        return (
            f'<div class="noted"{id_attribute}><b>{label}</b><p>{text} '
            f'<a href="#call-{scope}-{anchor}" role="doc-backlink">\u21a9</a></p></div>'
        )

    def number_definitions(match: re.Match[str]) -> str:
        return "\n".join(map(number_definition, _split_definitions(match[1])))

    clean_html = _DEFINITIONS.sub(number_definitions, clean_html)
    return restore_marks(_TAG_OR_REFERENCE.sub(link_reference, clean_html))


def _split_definitions(paragraph_html: str) -> list[str]:
    """Split a paragraph before each definition that no inline element encloses."""
    parts: list[list[str]] = []
    open_count = 0
    for part in _NEXT_DEFINITION.split(paragraph_html):
        if parts and open_count > 0:
            parts[-1].append(part)
        else:
            parts.append([part])
            open_count = 0
        open_count += len(_START_TAG.findall(part)) - part.count("</")
    return list(map("<br>".join, parts))


def _anchor(label: str) -> str:
    """Return the part of an id for a label: other characters than letters would end an attribute.

    Two labels have different anchors.
    """
    return re.sub(r"[^\w.]", lambda found: f"-{ord(found[0]):x}-", label)
