"""Links: bare addresses become some, and each tells the host that it leads to."""

from __future__ import annotations

import html
import re
from functools import lru_cache
from urllib.parse import parse_qsl, unquote

import idna

# RFC 1035, 2.3.4.
MAX_LABEL = 63
# Of other scripts, in a name: more than anybody can read.
MAX_LETTERS = 24

_LINK = re.compile(r'(<a href="([^"]*)"[^>]*>)(.*?)</a>', re.DOTALL)
_PART = re.compile(r"(<[^>]*>)|\b(https?://[^\s<>]+[^\s<>.,:;!?'\"»\u201d\u2019])")
_TAG = re.compile(r"<[^>]*>")
_REL = ' rel="noopener noreferrer nofollow"'
# What an address ends before: a quotation mark, a bracket or a space in clean HTML, an entity whose
# end is a mark, and marks of Japanese and Arabic.
_MARK = re.compile(
    r"&(?:gt|lt|quot|nbsp)\b|&[a-z]+$|[\u3001\u3002\u300d\u300f\u3011\uff01\uff09\uff1a\uff1b\uff1f\u060c\u061b\u061f]"
)
# As browsers read it (WHATWG URL): slashes of either kind and number, then all up to the next.
_WEB = re.compile(r"https?:[/\\]*([^/\\?#]*)", re.IGNORECASE)
_IGNORED = re.compile(r"[\t\r\n]")
_PORT = re.compile(r":\d*$")
# What turns the order of letters round would show another host than the one.
_TURNS_ROUND = re.compile("[\u202a-\u202e\u2066-\u2069]")


def told(cleaned: str) -> str:
    """Make links of addresses in clean HTML, and write the host behind words that hide it."""
    if "://" in cleaned:
        cleaned = _with_bare(cleaned)
    return _LINK.sub(_with_host, cleaned) if "<a " in cleaned else cleaned


def _with_bare(cleaned: str) -> str:
    inside = 0

    def linked(part: re.Match[str]) -> str:
        nonlocal inside
        tag, address = part[1], part[2]
        if tag:
            if tag.startswith(("<a ", "<code", "<pre")):
                inside += 1
            elif tag in ("</a>", "</code>", "</pre>"):
                inside -= 1
            return tag
        if inside:
            return address
        address, rest = _without_bracket(address)
        return f'<a href="{address.replace(chr(34), "&quot;")}"{_REL}>{address}</a>{rest}'

    return _PART.sub(linked, cleaned)


def _without_bracket(address: str) -> tuple[str, str]:
    """Leave out a mark, or a bracket that was opened before the address."""
    if mark := _MARK.search(address):
        return address[: mark.start()], address[mark.start() :]
    if address.endswith(")") and address.count(")") > address.count("("):
        return address[:-1], ")"
    return address, ""


def _with_host(link: re.Match[str]) -> str:
    start, address, words = link[1], html.unescape(link[2]), _TURNS_ROUND.sub("", link[3])
    shown = html.unescape(_TAG.sub("", words)).strip().lower()
    boxes = _mailboxes_of(address)
    to = boxes or host_of(address)
    if to is None:
        return words
    # Words that begin like another address are the trick to be shown.
    words_host = shown.removeprefix("https://").removeprefix("http://").partition("/")[0]
    is_plain = shown == boxes if boxes else not to or words_host == to
    return f"{start}{words}</a>" if is_plain else f"{start}{words}{_note(to)}</a>"


def _note(to: str) -> str:
    return f'<small class="host"> {html.escape(to)}</small>'


def _mailboxes_of(address: str) -> str:
    kind, _, rest = address.strip().partition(":")
    if kind.lower() != "mailto":
        return ""
    to, _, fields = rest.partition("?")
    # RFC 6068: fields may name more of them.
    given = parse_qsl(fields.replace("+", "%2B"))
    more = [value for name, value in given if name.lower() in ("to", "cc", "bcc")]
    boxes = ",".join([unquote(to), *more]).split(",")
    return ", ".join(told for box in boxes if (told := _told_box(box)))


def _told_box(box: str) -> str:
    name, at, host = "".join(filter(str.isprintable, box)).strip().lower().rpartition("@")
    known = _ascii(host)
    return f"{name}{at}{'…' if known is None else known}"


def host_of(address: str) -> str | None:
    """Return the host, letters that look like others in the form that shows it.

    It is "" where there is none, and None where no browser would find one.
    """
    found = _WEB.match(_IGNORED.sub("", address.strip()))
    if not found:
        return ""
    host = _PORT.sub("", unquote(found[1]).rpartition("@")[2]).lower()
    return _ascii(host)


@lru_cache(1_000)
def _ascii(host: str) -> str | None:
    """Write letters that look like others as browsers do (UTS 46); None for what is no name."""
    if host.isascii():
        return host
    # Punycode costs the square of them.
    if sum(not letter.isascii() for letter in host) > MAX_LETTERS:
        return None
    try:
        labels = idna.uts46_remap(host, std3_rules=False).split(".")
    except idna.IDNAError:
        return None
    return ".".join(map(_ascii_label, labels)) if max(map(len, labels)) <= MAX_LABEL else None


def _ascii_label(label: str) -> str:
    return label if label.isascii() else f"xn--{label.encode('punycode').decode()}"
