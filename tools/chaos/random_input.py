"""Random event streams and documents: mostly well-formed, sometimes damaged."""

from __future__ import annotations

import json
import random
from typing import Any

TEXTS = (
    "",
    " ",
    "Hello",
    "ü🙂é\u0301",
    "\u2028\u2029\x85",
    "\x00\x01\x7f",
    "\ufeff",
    "\r\n\r",
    "\ud800",
    "\udc00\ud800",
    "\u202eabc\u2066",
    "e\u0301" * 50,
    "\n\n",
    "45%",
    "data: x\n\n",
    "**bold",
    "<script>x</script>",
    "`" * 7,
    "|a|b|\n|-|-|\n|c|",
    "- [ ] x",
    "&lt;&#x0;",
    "[x](javascript:x)",
    "![x](https://x.example)",
    "<hx-partial>",
    "sk-aaaaaaaaaaaaaaaa",
)
NUMBERS = (0, -1, 0.5, 99, 1e308, 10**400, float("nan"), float("inf"), True)
TYPES: tuple[Any, ...] = (
    "delta",
    "delta",
    "delta",
    "progress",
    "complete",
    "error",
    "other",
    "",
    None,
    1,
    [],
    {},
)
LINE_ENDS = (b"\n", b"\n", b"\r\n", b"\r")
JUNK = (
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\xc3",
    b"\xf0\x9f",
    b"\x00",
    b"\xed\xa0\x80",
    b": beat\n\n",
    b"data",
    b"data:",
    b"event: error\n",
    b"id: 1\x002\n",
    b"retry: 5x\n",
    b"\r",
    b"\n",
    b"[" * 3000,
    b'data: {"content":' + b"[" * 2000 + b"\n\n",
    b"data: {\n\n",
    b"\r\n\r\n",
    b'data: {"type":"delta","content":"\\ud800"}\n\n',
    b"data: 1e999\n\n",
    b"data: \xff\n\n",
)

# fmt: off
INLINE_MARKDOWN = (
    "word ", "**", "*", "_", "~~", "`", "``", "[", "](", ")", "![", "<", ">", "</", "&amp;",
    "https://x.example/", "javascript:alert(1)", "data:text/html,x", "//x", "/keys", "&#0;",
    "<b>", "</b>", "<img src=x onerror=x>", "<script>", "</script>", "<!--", "-->", "<?x",
    "<svg>", "<style>", "<a href=x>", "<hx-partial>", "<input>", "<iframe", "hx-get=", '"',
    "|", "\t", "  \n", "\x00", "\u2028", "\u202e", "\ufffd", "🙂", "ü", "&lt;script&gt;", "'",
    "<x@y.z>", "mailto:a@b", "<![CDATA[", "\\", "<template>", "<math>", "<noscript>",
)
# fmt: on
BLOCK_MARKDOWN = (
    "\n",
    "\n\n",
    "\n# ",
    "\n###### ",
    "\n> ",
    "\n- ",
    "\n  - ",
    "\n1. ",
    "\n999999999. ",
    "\n```html\n",
    "\n```\n",
    "\n~~~\n",
    "\n    ",
    "\n---\n",
    "\n===\n",
    "\n|a|b|\n|-|:-:|\n|",
    "\n[a]: javascript:x\n",
    "\n[b]: https://x 't'\n",
    "\n<pre>\n",
    "\n<textarea>",
    "\n- [x] ",
    "\n<div>\n",
    "\n<!DOCTYPE x>\n",
)
NESTING_PREFIXES = ("> ", "- ", "* > ", "[", "![", "**a ", "<b>", "`", "|")


def event_stream(rng: random.Random) -> bytes:
    """Return a stream of events, some of them damaged."""
    data = bytearray(b"\xef\xbb\xbf" if rng.random() < 0.1 else b"")
    line_end = rng.choice(LINE_ENDS)
    for _ in range(rng.randint(0, 12)):
        data += _random_event(rng, rng.choice(LINE_ENDS) if rng.random() < 0.2 else line_end)
    for _ in range(rng.choice((0, 0, 1, 2, 5))):
        offset = rng.randint(0, len(data))
        match rng.randrange(4):
            case 0:
                data[offset:offset] = rng.choice(JUNK)
            case 1:
                del data[offset : offset + rng.randint(1, 20)]
            case 2:
                data[offset : offset + 1] = bytes([rng.randrange(256)])
            case _:
                del data[offset:]
    if rng.random() < 0.002:
        data += rng.choice((b"data: " + b"x" * 1_200_000, b"data: x\n" * 5000)) + b"\n\n"
    return bytes(data)


def _random_event(rng: random.Random, line_end: bytes) -> bytes:
    kind = rng.choice(TYPES)
    data = {
        "type": kind,
        **{name: _random_value(rng, 0) for name in _random_field_names(rng, kind)},
    }
    if rng.random() < 0.1:
        data.pop("type")
    text = json.dumps(data, ensure_ascii=rng.random() < 0.5, indent=rng.choice((None, None, 1)))
    head = [b"event: " + rng.choice((b"delta", b"error", b"complete", b"x"))]
    lines = (head if rng.random() < 0.1 else []) + [
        b"data: " + line for line in text.encode("utf-8", "surrogatepass").split(b"\n")
    ]
    return b"".join(line + line_end for line in lines) + line_end


def _random_field_names(rng: random.Random, kind: object) -> list[str]:
    field_by_type = {
        "delta": "content",
        "progress": "progress",
        "complete": "message",
        "error": "error",
    }
    expected = [field_by_type[kind]] if isinstance(kind, str) and kind in field_by_type else []
    return expected + rng.sample(
        ("content", "progress", "message", "error", "x"), rng.choice((0, 0, 1))
    )


def _random_value(rng: random.Random, depth: int) -> Any:
    match rng.randrange(10 if depth < 4 else 8):
        case 0 | 1 | 2 | 3 | 4:
            return "".join(rng.choice(TEXTS) for _ in range(rng.choice((1, 1, 2, 5, 30))))
        case 5 | 6:
            return rng.choice(NUMBERS)
        case 7:
            return None
        case 8:
            return [_random_value(rng, depth + 1) for _ in range(rng.randint(0, 3))]
    names = ("content", "text", "message", "error", "detail", "label", "percent", "type", "parts")
    return {name: _random_value(rng, depth + 1) for name in rng.sample(names, rng.randint(0, 3))}


def markdown(rng: random.Random) -> str:
    """Return a Markdown document, sometimes long or deeply nested."""
    pieces = (
        INLINE_MARKDOWN + BLOCK_MARKDOWN
        if rng.random() < 0.8
        else rng.sample(INLINE_MARKDOWN + BLOCK_MARKDOWN, 3)
    )
    length = rng.choice((3, 10, 30, 100)) if rng.random() < 0.99 else 3000
    text = "".join(rng.choice(pieces) for _ in range(length))
    if rng.random() < 0.1:
        text = rng.choice(NESTING_PREFIXES) * rng.choice((10, 39, 41, 500)) + text
    return text
