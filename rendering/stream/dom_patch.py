"""What has to be done to a page so that its HTML becomes another that mostly goes on after it."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Literal, NamedTuple

_TAG = re.compile(r'<(/?)([a-z][a-z0-9]*)(?:[^">]|"[^"]*")*>')
_VOID = {"br", "hr"}
# Between these, white space is nothing that anybody sees.
_BLOCKS = {
    *("blockquote", "div", "h3", "h4", "h5", "h6", "li", "ol", "p", "pre", "section", "table"),
    *("tbody", "td", "th", "thead", "tr", "ul"),
}
# htmx does much for every child that it puts in, and little for what these hold.
_FULL = ("<code>", "<ol", "<tbody>", "<ul")
_LONGEST_ENTITY = 32
NEVER = sys.maxsize


Swap = Literal["beforeend", "innerHTML", "outerHTML"]


class Change(NamedTuple):
    """A swap, by its htmx name, of what is `depth` last children below the element with the HTML.

    Of the last generation it may be another child than the last, counted from the end.
    """

    depth: int
    swap: Swap
    html: str
    child: int = 1


class _Element(NamedTuple):
    """How deep it is, and where its tags stand: the first up to `inside`, the last from `end`."""

    depth: int
    start: int
    inside: int
    end: int


def changes(old: str, new: str, opened: int = 0) -> tuple[Change, ...] | None:
    """Say how `old`, the last elements of a page, becomes `new`; None says that all must be anew.

    What stays is not touched, so that what the reader has selected or focused stays, too. Both may
    begin inside of `opened` elements, which they close.
    """
    if old == new:
        return ()
    tags = list(_TAG.finditer(old))
    same = _common(old, new, tags)
    closed = _elements(tags, opened)
    chain = _last_children(old, closed)
    if not chain or chain[0].inside:
        opened = 0  # what was open is over
    held = sum(element.inside <= same <= element.end for element in chain)
    before: list[Change] = []
    begin, depth, child = same, held, 1
    swap: Swap = "beforeend"
    over = chain[held - 1].end if held else len(old)
    gone = old[same:over]
    if gone if old.startswith("</code>", over) else gone.strip():
        if held > opened and old.startswith(_FULL, chain[held - 1].start):
            begin, swap, held = chain[held - 1].start, "outerHTML", held - 1
        elif held > opened:
            begin, swap = chain[held - 1].inside, "innerHTML"
        else:
            children = [e for e in closed.values() if e.depth == opened and e.end >= same]
            if not children or children[0].start > same or not children[0].inside:
                return None
            begin, depth, swap, child = children[0].start, held + 1, "outerHTML", len(children)
            before = [Change(depth, swap, "", place) for place in range(1, child)]
    ends = list(_ends(new, begin, held))
    found = [*before, Change(depth, swap, new[begin : ends[0][0]], child)]
    for level, ((_, after), (end, _)) in enumerate(pairwise(ends), 1):
        found.append(Change(held - level, "beforeend", new[after:end]))
    return tuple(
        change
        for place, change in enumerate(found)
        if change.swap != "beforeend" or (change.html.strip("\n") if place else change.html)
    )


def _common(old: str, new: str, tags: list[re.Match[str]]) -> int:
    """Return how long both are the same, up to a place where a tag or a character may begin."""
    low, high = 0, min(len(old), len(new))
    while low < high:
        middle = (low + high + 1) // 2
        if old[low:middle] == new[low:middle]:
            low = middle
        else:
            high = middle - 1
    for tag in reversed(tags):
        if tag.start() < low:
            low = tag.start() if low < tag.end() else low
            break
    entity = old.rfind("&", max(0, low - _LONGEST_ENTITY), low)
    return entity if entity >= 0 and ";" not in old[entity:low] else low


def _elements(tags: Iterable[re.Match[str]], opened: int) -> Mapping[int, _Element]:
    """Return the elements by where they are over."""
    stack = [(0, 0)] * opened
    closed: dict[int, _Element] = {}
    for tag in tags:
        if tag[2] in _VOID:
            closed[tag.end()] = _Element(len(stack), tag.start(), NEVER, tag.start())
        elif not tag[1]:
            stack.append((tag.start(), tag.end()))
        else:
            start, inside = stack.pop()
            closed[tag.end()] = _Element(len(stack), start, inside, tag.start())
    return closed


def _last_children(old: str, closed: Mapping[int, _Element]) -> list[_Element]:
    """Return the last element, its last child, and so on: those after which nothing is said."""
    chain: list[_Element] = []
    end = len(old)
    while (element := _ending_at(old, end, closed)) and element.inside != NEVER:
        chain.append(element)
        end = element.end
    return chain


def _ending_at(old: str, end: int, closed: Mapping[int, _Element]) -> _Element | None:
    if element := closed.get(end):
        return element
    seen = len(old[:end].rstrip())
    name = old[old.rfind("</", 0, seen) + 2 : seen - 1]
    return closed.get(seen) if name in _BLOCKS else None


def _ends(new: str, begin: int, depth: int) -> Iterator[tuple[int, int]]:
    """Yield where each of the elements that are open ends, the innermost first; and the end."""
    level = depth
    for tag in _TAG.finditer(new, begin):
        if tag[2] in _VOID:
            continue
        level += -1 if tag[1] else 1
        if level < depth:
            depth = level
            yield tag.span()
    yield len(new), len(new)
