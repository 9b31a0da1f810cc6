"""Links: bare addresses become some, and each tells the host that it leads to."""

from __future__ import annotations

import html
import re
from urllib.parse import unquote, urlsplit

_LINK = re.compile(r'(<a href="(https?://[^"]*)"[^>]*>)(.*?)</a>', re.DOTALL)
_PART = re.compile(r"(<[^>]*>)|\b(https?://[^\s<>]+[^\s<>.,:;!?'\"»\u201d\u2019])")
_TAG = re.compile(r"<[^>]*>")
_REL = ' rel="noopener noreferrer nofollow"'


def told(cleaned: str) -> str:
    """Make links of addresses in clean HTML, and write the host behind words that hide it."""
    if "://" not in cleaned:
        return cleaned
    return _LINK.sub(_with_host, _with_bare(cleaned))


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
    """Leave out a bracket that was opened before the address."""
    if address.endswith(")") and address.count(")") > address.count("("):
        return address[:-1], ")"
    return address, ""


def _with_host(link: re.Match[str]) -> str:
    start, address, words = link[1], html.unescape(link[2]), link[3]
    host = _host(address)
    shown = html.unescape(_TAG.sub("", words)).strip().lower()
    # Words that begin like another address are the trick to be shown.
    if not host or shown.removeprefix("https://").removeprefix("http://").partition("/")[0] == host:
        return f"{start}{words}</a>"
    return f'{start}{words} <small class="host">{html.escape(host)}</small></a>'


def _host(address: str) -> str:
    """Return the host, letters that look like others in the form that shows it."""
    try:
        host = unquote(urlsplit(address).hostname or "")
        return host if host.isascii() else host.encode("idna").decode()
    except ValueError:
        return ""
