"""Footnotes: what pyromark makes of them → text that is cleaned → links, there and back."""

from __future__ import annotations

import re

_NOTE = re.compile(r'<sup class="footnote-reference"><a href="#([^"]*)">(\d+)</a></sup>')
# The look back: a long run of blanks would be tried from each of them.
_END_OF_NOTE = re.compile(r"(</p>)?(?<!\s)\s*</div>")
_NOTED = re.compile(
    r'<div class="footnote-definition" id="([^"]*)">'
    r'<sup class="footnote-definition-label">(\d+)</sup>'
)

_NUMBER = re.compile(r"[1-9][0-9]{0,3}")
_NOTE_AND_TEXT = re.compile(r"<div><sup>(\d+)</sup>(.*?</div>)", re.DOTALL)
_CALL = re.compile(r"<sup>(\d+)</sup>")


def unlinked(found: str) -> str:
    """Take links out; notes keep the numbers that they were written with, if all have some."""
    labels = [note[1] for kind in (_NOTE, _NOTED) for note in kind.finditer(found)]
    number = r"\1" if all(map(_NUMBER.fullmatch, labels)) else r"\2"
    found = _NOTE.sub(f"<sup>{number}</sup>", found)
    return _NOTED.sub(f"<div><sup>{number}</sup>", found)


def linked(cleaned: str, scope: str) -> str:
    """Link footnotes, there and back: what else could have made a `sup` has been shown as text."""
    if "<sup>" not in cleaned:
        return cleaned
    seen: set[str] = set()

    def called(call: re.Match[str]) -> str:
        number = call[1]
        place = "" if number in seen else f' id="call-{scope}-{number}"'
        seen.add(number)
        to = f"note-{scope}-{number}"
        return f'<sup><a href="#{to}" role="doc-noteref"{place}>{number}</a></sup>'

    def noted(note: re.Match[str]) -> str:
        number, text = note[1], note[2]
        back = f' <a href="#call-{scope}-{number}" role="doc-backlink">\u21a9</a>'
        text = _END_OF_NOTE.sub(lambda end: f"{back}{end[1] or ''}</div>", text)
        return f'<div class="noted" id="note-{scope}-{number}"><b>{number}</b>{text}'

    cleaned = _NOTE_AND_TEXT.sub(noted, cleaned)
    return _CALL.sub(called, cleaned)
