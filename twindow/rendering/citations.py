"""Links from citation marks in a reply, such as [1], to the sources of the reply."""

from __future__ import annotations

import re

# The page hides the brackets. A copied text has them.
_BEFORE, _AFTER = "<span>[</span>", "<span>]</span>"
_MARK = re.compile(r"\[(\d{1,2})\]")
# HTML in which a mark is not a citation, or a single tag.
_SKIPPED = re.compile(r"(<(a|pre|code|math|button)\b.*?</\2>|<[^>]*>)", re.DOTALL)


def link_citations(html: str, id_prefix: str, count: int) -> str:
    """Turn the marks [1] to [count] in HTML of `render` into links to `#{id_prefix}{number}`."""

    def link(match: re.Match[str]) -> str:
        number = int(match[1])
        if not 1 <= number <= count:
            return match[0]
        return f'<a class="citation" href="#{id_prefix}{number}">{_BEFORE}{match[1]}{_AFTER}</a>'

    pieces = _SKIPPED.split(html)
    # Two groups: text, skipped HTML and the name of its element follow each other.
    for position in range(0, len(pieces), 3):
        pieces[position] = _MARK.sub(link, pieces[position])
    del pieces[2::3]
    return "".join(piece or "" for piece in pieces)
