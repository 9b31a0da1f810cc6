"""DOM patches that turn displayed HTML into new HTML."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Literal, NamedTuple

_TAG = re.compile(r'<(/?)([a-z][a-z0-9]*)(?:[^">]|"[^"]*")*>')
_VOID_TAGS = {"br", "hr"}
# White space between block elements is not visible.
_TEXT_TAGS = {"blockquote", "div", "h3", "h4", "h5", "h6", "p", "pre", "section"}
_LIST_TAGS = {"li", "ol", "ul"}
_TABLE_TAGS = {"table", "tbody", "td", "th", "thead", "tr"}
_BLOCK_TAGS = _TEXT_TAGS | _LIST_TAGS | _TABLE_TAGS
# As in HTML: an ideographic space, for example, is visible.
_WHITE_SPACE = " \t\n\f\r"
_MAX_ENTITY_LENGTH = 32
NO_CONTENT = sys.maxsize
# Limit for the old and the new HTML together: comparing more would delay other people.
MAX_DIFF_LENGTH = 400_000


# "updateInner" replaces the children of the target, and "updateRest" the target and the nodes after
# it; both keep equal nodes and the equal beginning of a text (static/js/reply_updates.js).
Swap = Literal["beforeend", "updateInner", "updateRest"]


class DomPatch(NamedTuple):
    """An htmx swap. Its target is `depth` steps below the element that holds the HTML.

    Each step leads to the last child. Only the final step may lead to another child: the
    `nth_last_child`, counted from the end.
    """

    depth: int
    swap: Swap
    html: str
    nth_last_child: int = 1


class _Element(NamedTuple):
    """The depth of an element, and the offsets of its start tag and its content.

    `content_start` is NO_CONTENT for a void element, and 0 for an element that starts before the
    text.
    """

    depth: int
    start: int
    content_start: int
    content_end: int


def diff(old: str, new: str, open_depth: int = 0) -> tuple[DomPatch, ...] | None:
    """Return the patches that turn `old`, the last elements of a page, into `new`.

    Returns None if everything must be replaced. Also returns None for very long HTML, unless `new`
    starts with `old` and `open_depth` is 0. `open_depth` is the number of elements that are open
    where `old` and `new` start; both texts close these elements.
    """
    if old == new:
        return ()
    if patch := _appended_text(old, new):
        return (patch,)
    if len(old) + len(new) > MAX_DIFF_LENGTH:
        is_continued = not open_depth and new.startswith(old)
        return (DomPatch(0, "beforeend", new[len(old) :]),) if is_continued else None
    tags = list(_TAG.finditer(old))
    common_length = _common_prefix_length(old, new, tags)
    elements_by_end = _elements_by_end(tags, open_depth)
    last_children = _last_children(old, elements_by_end)
    if not last_children or last_children[0].content_start:
        open_depth = 0  # `old` continues after the end of the open elements
    shared_depth = sum(
        element.content_start <= common_length <= element.content_end for element in last_children
    )
    start, depth, nth_last_child = common_length, shared_depth, 1
    swap: Swap = "beforeend"
    old_end = last_children[shared_depth - 1].content_end if shared_depth else len(old)
    removed_html = old[common_length:old_end]
    if removed_html.strip("" if old.startswith("</code>", old_end) else _WHITE_SPACE):
        changed = [
            element
            for element in elements_by_end.values()
            if element.depth == shared_depth and element.content_end >= common_length
        ]
        if changed and changed[0].content_start and changed[0].start <= common_length:
            start, swap = changed[0].start, "updateRest"
            depth, nth_last_child = shared_depth + 1, len(changed)
        elif shared_depth > open_depth:
            start, swap = last_children[shared_depth - 1].content_start, "updateInner"
        else:
            return None
    closing_spans = list(_closing_spans(new, start, shared_depth))
    patches = [DomPatch(depth, swap, new[start : closing_spans[0][0]], nth_last_child)]
    for level, ((_, after), (end, _)) in enumerate(pairwise(closing_spans), 1):
        patches.append(DomPatch(shared_depth - level, "beforeend", new[after:end]))
    return tuple(
        patch
        for index, patch in enumerate(patches)
        if patch.swap != "beforeend" or (patch.html.strip("\n") if index else patch.html)
    )


def _appended_text(old: str, new: str) -> DomPatch | None:
    """Return the patch for text at the end of the last elements: most patches are of this kind."""
    end, depth = len(old), 0
    while (start := old.rfind("</", 0, end)) >= 0:
        tag_end = old.find(">", start, end) + 1
        between = old[tag_end:end]
        if between.strip(_WHITE_SPACE) or (
            between and old[start + 2 : tag_end - 1] not in _BLOCK_TAGS
        ):
            break
        end, depth = start, depth + 1
    text = new[end : len(new) - (len(old) - end)]
    is_appended = text and new.startswith(old[:end]) and new.endswith(old[end:])
    if not (depth and is_appended) or "<" in text:
        return None
    entity = old.rfind("&", max(0, end - _MAX_ENTITY_LENGTH), end)
    if entity >= 0 and ";" not in old[entity:end]:
        return None
    return DomPatch(depth, "beforeend", text)


def _common_prefix_length(old: str, new: str, tags: list[re.Match[str]]) -> int:
    """Return the length of the common prefix, without an incomplete tag or entity at its end."""
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
    """Return the elements, keyed by the offset at which they end."""
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
    """Return the last element, its last child, and so on, as long as no text follows them."""
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
    trimmed_end = len(old[:end].rstrip(_WHITE_SPACE))
    tag_name = old[old.rfind("</", 0, trimmed_end) + 2 : trimmed_end - 1]
    return elements_by_end.get(trimmed_end) if tag_name in _BLOCK_TAGS else None


def _closing_spans(new: str, start: int, depth: int) -> Iterator[tuple[int, int]]:
    """Yield the spans of the end tags of the open elements, innermost first.

    The last span yielded is empty, at the end of `new`.
    """
    level = depth
    for tag in _TAG.finditer(new, start):
        if tag[2] in _VOID_TAGS:
            continue
        level += -1 if tag[1] else 1
        if level < depth:
            depth = level
            yield tag.span()
    yield len(new), len(new)
