"""What has to be done to a page so that its HTML becomes another that mostly goes on after it."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Literal, NamedTuple

_TAG = re.compile(r'<(/?)([a-z][a-z0-9]*)(?:[^">]|"[^"]*")*>')
_VOID_TAGS = {"br", "hr"}
# Between these, white space is nothing that anybody sees.
_BLOCK_TAGS = {
    *("blockquote", "div", "h3", "h4", "h5", "h6", "li", "ol", "p", "pre", "section", "table"),
    *("tbody", "td", "th", "thead", "tr", "ul"),
}
# htmx does much for every child that it puts in, and little for what these hold.
_OUTER_SWAP_TAGS = ("<code>", "<ol", "<tbody>", "<ul")
_MAX_ENTITY_LENGTH = 32
NO_CONTENT = sys.maxsize


Swap = Literal["beforeend", "innerHTML", "outerHTML"]


class DomPatch(NamedTuple):
    """A swap, by its htmx name, of what is `depth` last children below the element with the HTML.

    Of the last generation it may be another child than the last, counted from the end.
    """

    depth: int
    swap: Swap
    html: str
    nth_last_child: int = 1


class _Element(NamedTuple):
    """How deep it is, and where its tags stand: the first up to `inside`, the last from `end`."""

    depth: int
    start: int
    content_start: int
    content_end: int


def diff(old: str, new: str, open_depth: int = 0) -> tuple[DomPatch, ...] | None:
    """Say how `old`, the last elements of a page, becomes `new`; None says that all must be anew.

    What stays is not touched, so that what the reader has selected or focused stays, too. Both may
    begin inside of `opened` elements, which they close.
    """
    if old == new:
        return ()
    tags = list(_TAG.finditer(old))
    common_length = _common_prefix_length(old, new, tags)
    elements_by_end = _elements_by_end(tags, open_depth)
    last_children = _last_children(old, elements_by_end)
    if not last_children or last_children[0].content_start:
        open_depth = 0  # what was open is over
    shared_depth = sum(
        element.content_start <= common_length <= element.content_end for element in last_children
    )
    removals: list[DomPatch] = []
    start, depth, nth_last_child = common_length, shared_depth, 1
    swap: Swap = "beforeend"
    old_end = last_children[shared_depth - 1].content_end if shared_depth else len(old)
    removed_html = old[common_length:old_end]
    if removed_html if old.startswith("</code>", old_end) else removed_html.strip():
        if shared_depth > open_depth and old.startswith(
            _OUTER_SWAP_TAGS, last_children[shared_depth - 1].start
        ):
            start, swap, shared_depth = (
                last_children[shared_depth - 1].start,
                "outerHTML",
                shared_depth - 1,
            )
        elif shared_depth > open_depth:
            start, swap = last_children[shared_depth - 1].content_start, "innerHTML"
        else:
            children = [
                e
                for e in elements_by_end.values()
                if e.depth == open_depth and e.content_end >= common_length
            ]
            if not children or children[0].start > common_length or not children[0].content_start:
                return None
            start, depth, swap, nth_last_child = (
                children[0].start,
                shared_depth + 1,
                "outerHTML",
                len(children),
            )
            removals = [DomPatch(depth, swap, "", index) for index in range(1, nth_last_child)]
    closing_spans = list(_closing_spans(new, start, shared_depth))
    patches = [*removals, DomPatch(depth, swap, new[start : closing_spans[0][0]], nth_last_child)]
    for level, ((_, after), (end, _)) in enumerate(pairwise(closing_spans), 1):
        patches.append(DomPatch(shared_depth - level, "beforeend", new[after:end]))
    return tuple(
        patch
        for index, patch in enumerate(patches)
        if patch.swap != "beforeend" or (patch.html.strip("\n") if index else patch.html)
    )


def _common_prefix_length(old: str, new: str, tags: list[re.Match[str]]) -> int:
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
    entity = old.rfind("&", max(0, low - _MAX_ENTITY_LENGTH), low)
    return entity if entity >= 0 and ";" not in old[entity:low] else low


def _elements_by_end(tags: Iterable[re.Match[str]], open_depth: int) -> Mapping[int, _Element]:
    """Return the elements by where they are over."""
    stack = [(0, 0)] * open_depth
    elements: dict[int, _Element] = {}
    for tag in tags:
        if tag[2] in _VOID_TAGS:
            elements[tag.end()] = _Element(len(stack), tag.start(), NO_CONTENT, tag.start())
        elif not tag[1]:
            stack.append((tag.start(), tag.end()))
        else:
            start, content_start = stack.pop()
            elements[tag.end()] = _Element(len(stack), start, content_start, tag.start())
    return elements


def _last_children(old: str, elements_by_end: Mapping[int, _Element]) -> list[_Element]:
    """Return the last element, its last child, and so on: those after which nothing is said."""
    chain: list[_Element] = []
    end = len(old)
    while (
        element := _element_ending_at(old, end, elements_by_end)
    ) and element.content_start != NO_CONTENT:
        chain.append(element)
        end = element.content_end
    return chain


def _element_ending_at(
    old: str, end: int, elements_by_end: Mapping[int, _Element]
) -> _Element | None:
    if element := elements_by_end.get(end):
        return element
    trimmed_end = len(old[:end].rstrip())
    tag_name = old[old.rfind("</", 0, trimmed_end) + 2 : trimmed_end - 1]
    return elements_by_end.get(trimmed_end) if tag_name in _BLOCK_TAGS else None


def _closing_spans(new: str, start: int, depth: int) -> Iterator[tuple[int, int]]:
    """Yield where each of the elements that are open ends, the innermost first; and the end."""
    level = depth
    for tag in _TAG.finditer(new, start):
        if tag[2] in _VOID_TAGS:
            continue
        level += -1 if tag[1] else 1
        if level < depth:
            depth = level
            yield tag.span()
    yield len(new), len(new)
