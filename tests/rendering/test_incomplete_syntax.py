"""Incomplete Markdown syntax at the end of a running reply is hidden where possible."""

from __future__ import annotations

from tests.rendering.stream_reader import render_running, split_text

LINKS = [
    ("See [the *page*](https://x.exa", "<p>See the <em>page</em></p>\n"),
    ("See [the page](", "<p>See the page</p>\n"),
    ("- See ![it](https://x", "<ul>\n<li>See it</li>\n</ul>\n"),
    ("See [the page]", "<p>See [the page]</p>\n"),
    ("See [the page](no address", "<p>See [the page](no address</p>\n"),
    ("See [the page](https", "<p>See the page</p>\n"),
    ("array[i](h", "<p>array[i](h</p>\n"),
    ("\\[x](https://y", "<p>[x](https://y</p>\n"),
    ("`call [a](https://y", "<p>`call [a](https://y</p>\n"),
]


def test_target_of_an_unfinished_link_is_hidden():
    found = [(text, render_running(split_text(text, [7]))) for text, _ in LINKS]

    assert found == LINKS


def test_unfinished_link_in_code_is_shown_unchanged():
    for begin in ("```\n", "See:\n\n    y = "):
        assert "f [0](h" in render_running(split_text(f"{begin}f [0](h", [3]))


def test_footnotes_are_numbered_while_the_reply_is_incomplete():
    html = render_running(split_text("One[^1] and[^2].\n\n[^1]: First\n\n[^2]: Second", [5]))

    assert '<div class="noted" id="note-x-1"><b>1</b>' in html
    assert '<div class="noted" id="note-x-2"><b>2</b>' in html
