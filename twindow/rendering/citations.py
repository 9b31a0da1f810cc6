"""Links from citation marks in a reply, such as [1], to the sources of the reply."""

from __future__ import annotations

import re

# HTML in which a mark is not a citation, a single tag, or a mark.
_SKIPPED_OR_MARK = re.compile(
    r"<(a|pre|code|math|button)\b.*?</\1>|<[^>]*>|\[(?P<number>\d{1,2})\]", re.DOTALL
)


def link_citations(html: str, id_prefix: str, count: int) -> str:
    """Turn the marks [1] to [count] in HTML of `render` into links to `#{id_prefix}{number}`."""

    def link(match: re.Match[str]) -> str:
        mark = match["number"]
        if not mark or not 1 <= int(mark) <= count:
            return match[0]
        target = f"#{id_prefix}{int(mark)}"
        # The page hides the brackets. A copied text has them.
        return f'<a class="citation" href="{target}"><span>[</span>{mark}<span>]</span></a>'

    return _SKIPPED_OR_MARK.sub(link, html)
