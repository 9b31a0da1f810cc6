"""Titles of conversations, made from their first messages."""

from __future__ import annotations

import re

MAX_DEFAULT_TITLE_CHARACTERS = 60
# A full stop after a short word often belongs to an abbreviation.
_FIRST_SENTENCE = re.compile(r".{12,}?(?:(?:(?<=\w{4})\.|[!?…])+(?=\s)|[\u3002\uff01\uff1f]+)")
# What people write before they come to the point: "[urgent]", "Hello Ada,".
_TAGS = re.compile(r"\[[^\]]{2,40}\](?!\()\s*")
_GREETING = re.compile(
    r"¡?(?:hi|hello|hey|good (?:morning|afternoon|evening|day)|greetings|dear"
    r"|hallo|guten (?:morgen|tag|abend)|moin|servus|liebe[rs]?"
    r"|bonjour|bonsoir|salut|cher|chère"
    r"|hola|buen[oa]s (?:días|tardes|noches)|estimad[oa]"
    r"|مرحب[اًا]{1,3}|أهلا|السلام عليكم|صباح الخير|مساء الخير"
    r"|こんにちは|こんばんは|おはようございます|はじめまして)"
    r"(?: [^\s,.:;!?،。、]{1,20}){0,2} ?[,.;!،。、!]+\s*",
    re.IGNORECASE,
)
# As in twindow/rendering/message.py.
_FENCE = re.compile(r" {0,3}(`{3,})([^`]*)")


def make_title(content: str, max_characters: int = MAX_DEFAULT_TITLE_CHARACTERS) -> str:
    """Return the first sentence of a message as a title, cut at a word.

    A greeting and tags before the sentence are left out, and so is fenced code. Short sentences are
    followed by the next one. The title of a message that is only code is its first line. A word
    that takes more than half of the title is cut itself.
    """
    text = _without_greeting(" ".join(_without_code(content).split()))
    # Only the beginning is searched, because a long row of "!" takes quadratic time.
    sentence = _FIRST_SENTENCE.match(text, 0, max_characters + 1)
    title = sentence[0] if sentence else text
    if len(title) <= max_characters:
        return title
    title = title[: max_characters - 1]
    words = title.rsplit(" ", 1)[0]
    return (words if len(words) >= max_characters / 2 else title).rstrip(",;:.-") + "…"


def _without_greeting(text: str) -> str:
    rest = text
    for pattern in (_TAGS, _GREETING, _TAGS):
        while match := pattern.match(rest):
            rest = rest[match.end() :]
    return rest[:1].upper() + rest[1:] if rest and rest != text else text


def _without_code(content: str) -> str:
    text_lines: list[str] = []
    code_lines: list[str] = []
    opening_fence = ""
    for line in content.splitlines():
        fence = _FENCE.fullmatch(line)
        if fence and not opening_fence:
            opening_fence = fence[1]
        elif fence and fence[1].startswith(opening_fence) and not fence[2].strip():
            opening_fence = ""
        else:
            lines = code_lines if opening_fence else text_lines
            lines.append(line)
    text = "\n".join(text_lines)
    first_code_line = next((line for line in code_lines if line.strip()), content)
    return text if text.strip() else first_code_line
