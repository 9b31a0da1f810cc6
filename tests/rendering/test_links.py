"""Links: each shows its host, and that host learns nothing about the reader."""

from twindow.rendering.links import host_of
from twindow.rendering.render import render

REL = ' rel="noopener noreferrer nofollow"'


def link(address: str, words: str, host: str = "") -> str:
    """Return the HTML of a link; a text that looks like another address has the host visibly."""
    is_visible = host and any(sign in words for sign in ".@\u3002")
    note = f'<small class="host"> {host}</small>' if is_visible else ""
    tooltip = f' title="{host}"' if host and not is_visible else ""
    direction = ' dir="ltr"' if words.startswith("http") else ""
    return f'<a href="{address}"{REL}{direction}{tooltip}>{words}{note}</a>'


B = link("http://a.example/b", "http://a.example/b")


LINKS = [
    ("[bank](https://evil.example/x)", link("https://evil.example/x", "bank", "evil.example")),
    ("<https://x.example/a>", link("https://x.example/a", "https://x.example/a")),
    ("http://localhost:3000/api", link("http://localhost:3000/api", "http://localhost:3000/api")),
    ("[x.example/a](https://x.example/a)", link("https://x.example/a", "x.example/a")),
    (
        "[https://bank.example](https://evil.example)",
        link("https://evil.example", "https://bank.example", "evil.example"),
    ),
    (
        "[**bank**](https://bаnk.example)",
        link("https://b%D0%B0nk.example", "<strong>bank</strong>", "xn--bnk-6cd.example"),
    ),
    (
        "[sign in at bank.example now](https://evil.example)",
        link("https://evil.example", "sign in at bank.example now", "evil.example"),
    ),
    (
        "[bank\u3002example](https://evil.example)",
        link("https://evil.example", "bank\u3002example", "evil.example"),
    ),
    (
        '[manual](https://evil.example "bank.example")',
        link("https://evil.example", "manual", "evil.example"),
    ),
    ("[post](mailto:a@x.example)", link("mailto:a@x.example", "post", "a@x.example")),
    ("<A@x.example>", link("mailto:A@x.example", "A@x.example")),
    ("(A@x.example)", f"({link('mailto:A@x.example', 'A@x.example')})"),
    ("mailto:a@x.example", link("mailto:a@x.example", "mailto:a@x.example")),
    ("www.x.example/a.", link("http://www.x.example/a", "www.x.example/a") + "."),
    ("ftp://a.example [x](ftp://a.example)", "ftp://a.example x"),
    (
        '{"a":"http://a.example/b","c":"http://a.example/b"}',
        f'{{"a":"{B}","c":"{B}"}}',
    ),
    ('`http://a.example/\\(b"`', '<code>http://a.example/\\(b"</code>'),
    (
        "[x](http://a.example/b\uff0cc)",
        link("http://a.example/b%EF%BC%8Cc", "x", "a.example"),
    ),
    ("[x](mailto:?to=b+c@x.example)", link("mailto:?to=b+c@x.example", "x", "b+c@x.example")),
    (
        "[a@x.example](mailto:a@x.example?cc=b@x.example,c@x.example)",
        link(
            "mailto:a@x.example?cc=b@x.example,c@x.example",
            "a@x.example",
            "a@x.example, b@x.example, c@x.example",
        ),
    ),
    (
        "[x](mailto:a%00%E2%80%AE@b%D0%B0nk.example)",
        link("mailto:a%00%E2%80%AE@b%D0%B0nk.example", "x", "a@xn--bnk-6cd.example"),
    ),
    (
        "[x](mailto:%3Cimg%3E@x.example)",
        link("mailto:%3Cimg%3E@x.example", "x", "&lt;img&gt;@x.example"),
    ),
    (
        "[a@bank.example](mailto:b%40x.example?subject=a)",
        link("mailto:b%40x.example?subject=a", "a@bank.example", "b@x.example"),
    ),
    ("ahttp://a.example", "ahttp://a.example"),
    ("see http://a.example/b> there", f"see {B}&gt; there"),
    ("http://a.example/b\u00a0: voici", f"{B}&nbsp;: voici"),
    ("[x](HTTPS://evil.example)", link("HTTPS://evil.example", "x", "evil.example")),
    ("[x](https:///evil.example)", link("https:///evil.example", "x", "evil.example")),
    (
        "[https://fussball.example](https://fußball.example)",
        link(
            "https://fu%C3%9Fball.example",
            "https://fussball.example",
            "xn--fuball-cta.example",
        ),
    ),
    ("[\u202ex](https://evil.example)", link("https://evil.example", "x", "evil.example")),
]


def test_links_tell_their_host_and_hide_the_referrer():
    expected = [(text, f"<p>{html}</p>") for text, html in LINKS]

    assert [(text, render(text)) for text, _ in LINKS] == expected


HOSTS = [
    ("https://evil.example\\@bank.example/", "evil.example"),
    ("https:\\\\evil.example/", "evil.example"),
    ("https://bank.example@evil.example:443?x", "evil.example"),
    ("ht\ntps://evil.exa\tmple#bank.example", "evil.example"),
    ("https://EVIL.example", "evil.example"),
    ("mailto:a@x.example", ""),
    ("https://", ""),
]


def test_shown_host_of_a_link_is_the_one_that_browsers_connect_to():
    assert [(address, host_of(address)) for address, _ in HOSTS] == HOSTS


# The hosts according to Chromium: new URL(…).hostname.
CHROMIUM_HOSTS = [
    ("http://good.com_\uff0e\uff45\uff56\uff49\uff4c.example/", "good.com_.evil.example"),
    ("http://good.com-\uff0eevil.example/", "good.com-.evil.example"),
    ("http://good.com\u2044\uff0eevil.example/", "good.xn--com-qt0a.evil.example"),
    ("http://good.com\u2044login.evil.example/", "good.xn--comlogin-g03d.evil.example"),
    ("http://\u2603.example/", "xn--n3h.example"),
]


LIKE_ADDRESSES = (
    "bank.example now",
    "bank\u2024example",
    "bank\ufe52example",
    "bank\ua4f8example",
    "bank\uff61example",
    "bank\u200b.\u2060example",
    "bank.\u0301example",
    "https\uff1a//bank",
    "info\uff20bank",
    "localhost:8080",
    "[::1]",
)


def test_host_is_visible_after_a_text_that_looks_like_an_address():
    for words in LIKE_ADDRESSES:
        assert "> evil.example</small>" in render(f"[{words}](https://evil.example)"), words


def test_host_is_shown_as_browsers_normalise_it():
    assert [(address, host_of(address)) for address, _ in CHROMIUM_HOSTS] == CHROMIUM_HOSTS
    for address, host in CHROMIUM_HOSTS:
        assert f"> {host}</small>" in render(f"[good.com]({address})")


def test_link_that_browsers_resolve_to_the_portal_is_rendered_as_text():
    for url in (
        "http:bank.example/login",
        "https:bank.example",
        "HTTP:/bank.example",
    ):
        assert render(f"[log in]({url})") == "<p>log in</p>", url
    assert "href" not in render("<http:bank.example>")


def test_text_with_an_overlong_host_is_not_linked():
    name = "".join(map(chr, range(0x4E00, 0x4E00 + 5_000)))

    for text in (f"http://{name}/", f"<http://{name}/>", f"[x](http://{'a' * 70}\u00fc/)"):
        assert "href" not in render(text)
    assert 'title="a@\u2026"' in render(f"[x](mailto:a@{name})")
