"""Reasoning that models write into their replies between tags, such as <think> and </think>."""

from __future__ import annotations

import re

TAGS = {
    "<think>": "</think>",
    "<thinking>": "</thinking>",
    "<thought>": "</thought>",
    "<reasoning>": "</reasoning>",
    "<seed:think>": "</seed:think>",
    "[THINK]": "[/THINK]",
}


# The end of reasoning whose opening tag stands in the prompt of the model. A reply may be about
# tags: those are in code or quotation marks, or within a line.
_LATE_END = re.compile(rf"(?<![`\"'“])(?:{'|'.join(map(re.escape, TAGS.values()))})[ \t]*\n")


class ThinkingFilter:
    """Filter that removes reasoning at the beginning of a reply, whose text comes in pieces.

    Tags within the visible text stay: a reply may be about them. With `begins_thinking`, the reply
    is expected to begin with reasoning without an opening tag, because the prompt of the model
    contains it. If no closing tag comes, all of its text is the reply.
    """

    def __init__(self, *, begins_thinking: bool = False) -> None:
        self.has_thought = False
        # Whether this reply began with reasoning without an opening tag.
        self.begins_thinking = False
        self._is_expected = begins_thinking
        self._line = ""
        self._pending = ""
        self._closing_tags = tuple(TAGS.values()) if begins_thinking else ()
        self._is_visible = False

    def feed(self, text: str) -> str:
        """Return the visible part of the next piece."""
        if self._is_visible:
            return self._note_late_end(text)
        self._pending += text
        while not self._is_visible:
            if self._closing_tags:
                self.has_thought = True
                ends = [
                    (position, position + len(tag))
                    for tag in self._closing_tags
                    if (position := self._pending.find(tag)) >= 0
                ]
                if not ends and self._is_expected:
                    return ""
                if not ends:
                    # Keep what may be the beginning of a closing tag.
                    self._pending = self._pending[-max(map(len, self._closing_tags)) :]
                    return ""
                self.begins_thinking = self._is_expected
                self._pending = self._pending[min(ends)[1] :]
                self._closing_tags = ()
                continue
            start = self._pending.lstrip()
            tag = next((tag for tag in TAGS if start.startswith(tag)), None)
            if tag:
                self._closing_tags = (TAGS[tag],)
                self._pending = start.removeprefix(tag)
            elif any(tag.startswith(start) for tag in TAGS):
                return ""  # this may become a tag, or is only white space
            else:
                self._is_visible = True
        visible, self._pending = self._pending, ""
        return visible.lstrip() if self.has_thought else self._note_late_end(visible)

    def _note_late_end(self, text: str) -> str:
        self._line += text
        self.begins_thinking |= not self.has_thought and bool(_LATE_END.search(self._line))
        self._line = self._line[self._line.rfind("\n") + 1 :][-100:]
        return text

    def close(self) -> str:
        """Return the rest at the end of the reply: what waited for a tag that never came."""
        if self._closing_tags and self._is_expected and not self.begins_thinking:
            self.has_thought = False
            return self._pending.lstrip()
        return "" if self._closing_tags else self._pending.lstrip()
