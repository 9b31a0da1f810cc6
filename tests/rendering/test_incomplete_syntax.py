"""Incomplete Markdown syntax at the end of a running reply is hidden where possible."""

from __future__ import annotations

from tests.rendering.stream_reader import render_running, split_text

LINKS = [
    ("See [the *page*](https://x.exa", "<p>See the <em>page</em></p>"),
    ("See [the page](", "<p>See the page</p>"),
    ("- See ![it](https://x", '<ul dir="auto"><li>See it</li></ul>'),
    ("See [the page]", "<p>See [the page]</p>"),
    ("See [the page](no address", "<p>See [the page](no address</p>"),
    ("See [the page](https", "<p>See the page</p>"),
    ("array[i](h", "<p>array[i](h</p>"),
    ("\\[x](https://y", "<p>[x](https://y</p>"),
    ("`call [a](https://y", "<p>`call [a](https://y</p>"),
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


def test_incomplete_formula_and_marks_of_incomplete_emphasis_are_hidden():
    cases = {
        "So $$x^2 +": "<p>So</p>",
        "So \\[\nx^2 +": "<p>So</p>",
        "So **very im": "<p>So very im</p>",
        "So ~~ol": "<p>So ol</p>",
        "So **very** im": "<p>So <strong>very</strong> im</p>",
        "Code `**a": "<p>Code `**a</p>",
        "2 ** 3": "<p>2 ** 3</p>",
        "pays $$": "<p>pays</p>",
    }

    assert {text: render_running(split_text(text, [4])) for text in cases} == cases
