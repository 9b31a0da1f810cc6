"""Random streams and documents: mostly well formed, and then not."""

from __future__ import annotations

import json
import random
from typing import Any

TEXTS = (
    *("", " ", "Hello", "ü🙂é\u0301", "\u2028\u2029\x85", "\x00\x01\x7f", "\ufeff", "\r\n\r"),
    *("\ud800", "\udc00\ud800", "\u202eabc\u2066", "e\u0301" * 50, "\n\n", "45%", "data: x\n\n"),
    *("**bold", "<script>x</script>", "`" * 7, "|a|b|\n|-|-|\n|c|", "- [ ] x", "&lt;&#x0;"),
    *("[x](javascript:x)", "![x](https://x.example)", "<hx-partial>", "sk-aaaaaaaaaaaaaaaa"),
)
NUMBERS = (0, -1, 0.5, 99, 1e308, 10**400, float("nan"), float("inf"), True)
TYPES: tuple[Any, ...] = (
    *("delta", "delta", "delta", "progress", "complete", "error", "other", ""),
    *(None, 1, [], {}),
)
ENDS = (b"\n", b"\n", b"\r\n", b"\r")
JUNK = (
    *(b"\xef\xbb\xbf", b"\xff\xfe", b"\xc3", b"\xf0\x9f", b"\x00", b"\xed\xa0\x80", b": beat\n\n"),
    *(b"data", b"data:", b"event: error\n", b"id: 1\x002\n", b"retry: 5x\n", b"\r", b"\n"),
    *(b"[" * 3000, b'data: {"content":' + b"[" * 2000 + b"\n\n", b"data: {\n\n", b"\r\n\r\n"),
    *(b'data: {"type":"delta","content":"\\ud800"}\n\n', b"data: 1e999\n\n", b"data: \xff\n\n"),
)

INLINE = (
    *("word ", "**", "*", "_", "~~", "`", "``", "[", "](", ")", "![", "<", ">", "</", "&amp;"),
    *("https://x.example/", "javascript:alert(1)", "data:text/html,x", "//x", "/keys", "&#0;"),
    *("<b>", "</b>", "<img src=x onerror=x>", "<script>", "</script>", "<!--", "-->", "<?x"),
    *("<svg>", "<style>", "<a href=x>", "<hx-partial>", "<input>", "<iframe", "hx-get=", '"'),
    *("|", "\t", "  \n", "\x00", "\u2028", "\u202e", "\ufffd", "🙂", "ü", "&lt;script&gt;", "'"),
    *("<x@y.z>", "mailto:a@b", "<![CDATA[", "\\", "<template>", "<math>", "<noscript>"),
)
BLOCK = (
    *("\n", "\n\n", "\n# ", "\n###### ", "\n> ", "\n- ", "\n  - ", "\n1. ", "\n999999999. "),
    *("\n```html\n", "\n```\n", "\n~~~\n", "\n    ", "\n---\n", "\n===\n", "\n|a|b|\n|-|:-:|\n|"),
    *("\n[a]: javascript:x\n", "\n[b]: https://x 't'\n", "\n<pre>\n", "\n<textarea>", "\n- [x] "),
    *("\n<div>\n", "\n<!DOCTYPE x>\n"),
)
DEEP = ("> ", "- ", "* > ", "[", "![", "**a ", "<b>", "`", "|")


def stream(dice: random.Random) -> bytes:
    """Make a stream of events, then damage some."""
    out = bytearray(b"\xef\xbb\xbf" if dice.random() < 0.1 else b"")
    end = dice.choice(ENDS)
    for _ in range(dice.randint(0, 12)):
        out += _event(dice, dice.choice(ENDS) if dice.random() < 0.2 else end)
    for _ in range(dice.choice((0, 0, 1, 2, 5))):
        place = dice.randint(0, len(out))
        match dice.randrange(4):
            case 0:
                out[place:place] = dice.choice(JUNK)
            case 1:
                del out[place : place + dice.randint(1, 20)]
            case 2:
                out[place : place + 1] = bytes([dice.randrange(256)])
            case _:
                del out[place:]
    if dice.random() < 0.002:
        out += dice.choice((b"data: " + b"x" * 1_200_000, b"data: x\n" * 5000)) + b"\n\n"
    return bytes(out)


def _event(dice: random.Random, end: bytes) -> bytes:
    kind = dice.choice(TYPES)
    data = {"type": kind, **{name: _value(dice, 0) for name in _fields(dice, kind)}}
    if dice.random() < 0.1:
        data.pop("type")
    text = json.dumps(data, ensure_ascii=dice.random() < 0.5, indent=dice.choice((None, None, 1)))
    head = [b"event: " + dice.choice((b"delta", b"error", b"complete", b"x"))]
    lines = (head if dice.random() < 0.1 else []) + [
        b"data: " + line for line in text.encode("utf-8", "surrogatepass").split(b"\n")
    ]
    return b"".join(line + end for line in lines) + end


def _fields(dice: random.Random, kind: object) -> list[str]:
    named = {"delta": "content", "progress": "progress", "complete": "message", "error": "error"}
    own = [named[kind]] if isinstance(kind, str) and kind in named else []
    return own + dice.sample(
        ("content", "progress", "message", "error", "x"), dice.choice((0, 0, 1))
    )


def _value(dice: random.Random, depth: int) -> Any:
    match dice.randrange(10 if depth < 4 else 8):
        case 0 | 1 | 2 | 3 | 4:
            return "".join(dice.choice(TEXTS) for _ in range(dice.choice((1, 1, 2, 5, 30))))
        case 5 | 6:
            return dice.choice(NUMBERS)
        case 7:
            return None
        case 8:
            return [_value(dice, depth + 1) for _ in range(dice.randint(0, 3))]
    names = ("content", "text", "message", "error", "detail", "label", "percent", "type", "parts")
    return {name: _value(dice, depth + 1) for name in dice.sample(names, dice.randint(0, 3))}


def markdown(dice: random.Random) -> str:
    """Make a document, sometimes long or deep."""
    pieces = INLINE + BLOCK if dice.random() < 0.8 else dice.sample(INLINE + BLOCK, 3)
    length = dice.choice((3, 10, 30, 100)) if dice.random() < 0.99 else 3000
    text = "".join(dice.choice(pieces) for _ in range(length))
    if dice.random() < 0.1:
        text = dice.choice(DEEP) * dice.choice((10, 39, 41, 500)) + text
    return text
