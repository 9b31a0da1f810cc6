"""Footnotes: removes pyromark's links before sanitising, and adds new links afterwards."""

from __future__ import annotations

import re

_PYROMARK_REFERENCE = re.compile(
    r'<sup class="footnote-reference"><a href="#([^"]*)">(\d+)</a></sup>'
)
# Without the lookbehind, the regex would scan a long run of blanks again from each blank.
_DEFINITION_END = re.compile(r"(</p>)?(?<!\s)\s*</div>")
_PYROMARK_DEFINITION = re.compile(
    r'<div class="footnote-definition" id="([^"]*)">'
    r'<sup class="footnote-definition-label">(\d+)</sup>'
)

# References beyond this number get no link: a link is fifteen times as long as a plain number.
MAX_LINKED_REFERENCES = 1_000
_NUMERIC_LABEL = re.compile(r"[1-9][0-9]{0,3}")
_DEFINITION = re.compile(r"<div><sup>(\d+)</sup>(.*?</div>)", re.DOTALL)
_REFERENCE = re.compile(r"<sup>(\d+)</sup>")


def remove_links(pyromark_html: str) -> str:
    """Remove the links of footnotes.

    Footnotes keep the numbers from the source if all labels are numbers, else they get
    pyromark's numbers.
    """
    labels = [
        note[1]
        for kind in (_PYROMARK_REFERENCE, _PYROMARK_DEFINITION)
        for note in kind.finditer(pyromark_html)
    ]
    label_group = r"\1" if all(map(_NUMERIC_LABEL.fullmatch, labels)) else r"\2"
    pyromark_html = _PYROMARK_REFERENCE.sub(f"<sup>{label_group}</sup>", pyromark_html)
    return _PYROMARK_DEFINITION.sub(f"<div><sup>{label_group}</sup>", pyromark_html)


def add_links(clean_html: str, scope: str) -> str:
    """Add links from references to footnotes and back; their ids contain `scope`.

    Every `sup` is from a footnote, because raw HTML has been escaped.
    """
    if "<sup>" not in clean_html:
        return clean_html
    seen_numbers: set[str] = set()
    linked_count = 0

    def link_reference(match: re.Match[str]) -> str:
        nonlocal linked_count
        linked_count += 1
        if linked_count > MAX_LINKED_REFERENCES:
            return match[0]
        number = match[1]
        id_attribute = "" if number in seen_numbers else f' id="call-{scope}-{number}"'
        seen_numbers.add(number)
        target_id = f"note-{scope}-{number}"
        return f'<sup><a href="#{target_id}" role="doc-noteref"{id_attribute}>{number}</a></sup>'

    def link_definition(match: re.Match[str]) -> str:
        number, text = match[1], match[2]
        back_link = f' <a href="#call-{scope}-{number}" role="doc-backlink">\u21a9</a>'
        text = _DEFINITION_END.sub(lambda end: f"{back_link}{end[1] or ''}</div>", text)
        return f'<div class="noted" id="note-{scope}-{number}"><b>{number}</b>{text}'

    clean_html = _DEFINITION.sub(link_definition, clean_html)
    return _REFERENCE.sub(link_reference, clean_html)
