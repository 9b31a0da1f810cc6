"""Links: each tells its host, in a tooltip or, after a text that could mislead, visibly."""

from __future__ import annotations

import html
import re
import unicodedata
from functools import lru_cache
from urllib.parse import parse_qsl, unquote

import idna

# RFC 1035, 2.3.4.
MAX_LABEL_LENGTH = 63
# Host names with more non-ASCII letters are rejected, because nobody could read them.
MAX_NON_ASCII_LETTERS = 24

_LINK = re.compile(r'(<a(?: href="([^"]*)")?[^>]*>)(.*?)</a>', re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
# Browsers (WHATWG URL) expect at least two slashes of either kind before the authority. On a page
# of the same scheme, a URL with fewer slashes is a relative URL, so it leads to the portal.
_HTTP_AUTHORITY = re.compile(r"https?:([/\\]*)([^/\\?#]*)", re.IGNORECASE)
_IGNORED_WHITESPACE = re.compile(r"[\t\r\n]")
_PORT = re.compile(r":\d*$")
# A text that could be read as an address, after `_plain`.
_ADDRESS = re.compile(r"\w\.\w|//|@|\w:\d|::")
# Letters that look like a dot, and that neither NFKC nor browsers take for one.
_DOTS = str.maketrans("\u3002\ua4f8", "..")
# Characters that reverse the order of letters could make a host look like another host.
_BIDI_CONTROLS = re.compile("[\u202a-\u202e\u2066-\u2069]")


def annotate_links(clean_html: str) -> str:
    """Add the host to links whose text does not show it; a link without an address becomes text.

    The host is a tooltip, or text after the link if the text looks like another address.
    """
    return _LINK.sub(_add_host, clean_html) if "<a " in clean_html else clean_html


def _add_host(match: re.Match[str]) -> str:
    if match[2] is None:
        return match[3]
    opening_tag, url, label_html = (
        match[1],
        html.unescape(match[2]),
        _BIDI_CONTROLS.sub("", match[3]),
    )
    label = html.unescape(_TAG.sub("", label_html)).strip().lower().removeprefix("mailto:")
    mailboxes = _mailboxes(url)
    destination = mailboxes or host_of(url)
    if destination is None:
        return label_html
    if label.startswith(("http://", "https://")):
        opening_tag = f'{opening_tag[:-1]} dir="ltr">'
    # A link text that looks like a URL may show a host that is not the destination.
    label_host = _PORT.sub(
        "", re.split("[/?#]", label.removeprefix("https://").removeprefix("http://"))[0]
    )
    shows_destination = (
        label == mailboxes if mailboxes else not destination or label_host == destination
    )
    note = ""
    if not shows_destination and _ADDRESS.search(_plain(label)):
        note = f'<small class="host"> {html.escape(destination)}</small>'
    elif not shows_destination:
        opening_tag = f'{opening_tag[:-1]} title="{html.escape(destination)}">'
    return f"{opening_tag}{label_html}{note}</a>"


def _plain(label: str) -> str:
    """Return a text as people see it: without invisible characters and marks, with plain dots."""
    letters = unicodedata.normalize("NFKC", label).translate(_DOTS)
    return "".join(c for c in letters if unicodedata.category(c) not in ("Cf", "Mn"))


def _mailboxes(url: str) -> str:
    scheme, _, rest = url.strip().partition(":")
    if scheme.lower() != "mailto":
        return ""
    path, _, query = rest.partition("?")
    # The query of a mailto link can name more recipients (RFC 6068).
    parameters = parse_qsl(query.replace("+", "%2B"))
    extra_recipients = [value for name, value in parameters if name.lower() in ("to", "cc", "bcc")]
    mailboxes = ",".join([unquote(path), *extra_recipients]).split(",")
    return ", ".join(normalized for box in mailboxes if (normalized := _normalize_mailbox(box)))


def _normalize_mailbox(mailbox: str) -> str:
    local_part, separator, host = (
        "".join(filter(str.isprintable, mailbox)).strip().lower().rpartition("@")
    )
    ascii_host = _to_ascii(host)
    return f"{local_part}{separator}{'…' if ascii_host is None else ascii_host}"


def host_of(url: str) -> str | None:
    """Return the host of a URL; non-ASCII letters, which may imitate others, are in Punycode.

    Returns "" if the URL has no host. Returns None if browsers would reject the host or connect to
    the portal.
    """
    match = _HTTP_AUTHORITY.match(_IGNORED_WHITESPACE.sub("", url.strip()))
    if not match:
        return ""
    if len(match[1]) < len("//"):
        return None
    host = _PORT.sub("", unquote(match[2]).rpartition("@")[2]).lower()
    return _to_ascii(host)


@lru_cache(1_000)
def _to_ascii(host: str) -> str | None:
    """Convert a host name to ASCII as browsers do (UTS 46); return None if it is invalid."""
    if host.isascii():
        return host
    # Punycode takes time quadratic in the number of non-ASCII letters.
    if sum(not letter.isascii() for letter in host) > MAX_NON_ASCII_LETTERS:
        return None
    try:
        labels = idna.uts46_remap(host, std3_rules=False).split(".")
    except idna.IDNAError:
        return None
    return (
        ".".join(map(_to_ascii_label, labels))
        if max(map(len, labels)) <= MAX_LABEL_LENGTH
        else None
    )


def _to_ascii_label(label: str) -> str:
    return label if label.isascii() else f"xn--{label.encode('punycode').decode()}"
