"""Incomplete Markdown syntax at the end of a running reply is hidden where possible."""

from __future__ import annotations

from tests.support.stream_reader import render_running, split_text

URL = '<a href="https://y" rel="noopener noreferrer nofollow" dir="ltr">https://y</a>'
LINKS = [
    ("See [the *page*](https://x.exa", "<p>See the <em>page</em></p>"),
    ("See [the page](", "<p>See the page</p>"),
    ("- See ![it](https://x", '<ul dir="auto"><li>See it</li></ul>'),
    ("See [the page]", "<p>See [the page]</p>"),
    ("See [the page](no address", "<p>See [the page](no address</p>"),
    ("See [the page](https", "<p>See the page</p>"),
    ("array[i](h", "<p>array[i](h</p>"),
    ("\\[x](https://y", f"<p>[x]({URL}</p>"),
    ("`call [a](https://y", f"<p>`call [a]({URL}</p>"),
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


def test_incomplete_formula_is_hidden_and_incomplete_emphasis_is_shown_as_emphasis():
    cases = {
        "So $$x^2 +": "<p>So</p>",
        "So \\[\nx^2 +": "<p>So</p>",
        "So \\begin{ali": "<p>So</p>",
        "So\n\\begin{align}\nx^2 +\n\n- 1": "<p>So</p>",
        "So **very im": "<p>So <strong>very im</strong></p>",
        "So ~~ol": "<p>So <del>ol</del></p>",
        "So **a *b": "<p>So a *b</p>",
        "So **very** im": "<p>So <strong>very</strong> im</p>",
        "Code `**a": "<p>Code `**a</p>",
        "Code `$x^2 +": "<p>Code `$x^2 +</p>",
        "2 ** 3": "<p>2 ** 3</p>",
        "pays $$": "<p>pays</p>",
        "So $x^2 +": "<p>So</p>",
        "So \\(x^2 +": "<p>So</p>",
        "- So:\n    $$x^2": '<ul dir="auto"><li>So:</li></ul>',
        "1. At $$, 4 stars\n2. B": '<ol dir="auto"><li>At $$, 4 stars</li><li>B</li></ol>',
        "Set $HOME to": "<p>Set $HOME to</p>",
        "It is *very": "<p>It is <em>very</em></p>",
        "执行**删除": "<p>执行<strong>删除</strong></p>",
        "点击[这里](https://": "<p>点击这里</p>",
        "H<sub>2</su": "<p>H<sub>2</sub></p>",
    }

    assert {text: render_running(split_text(text, [4])) for text in cases} == cases


def test_line_that_may_become_another_block_is_hidden():
    cases = {
        "See this\n-": "<p>See this</p>",
        "See this\n==": "<p>See this</p>",
        "- one\n-": '<ul dir="auto"><li>one</li></ul>',
        "1. one\n2.": '<ol dir="auto"><li>one</li></ol>',
        "## ": "",
        "See\n\n| a | b |\n|--": "<p>See</p>",
        "See\n\n| a | b |\nand": "<p>See</p><p>| a | b |<br>and</p>",
        "It is\n12 k": "<p>It is<br>12 k</p>",
    }

    assert {text: render_running(split_text(text, [4])) for text in cases} == cases
