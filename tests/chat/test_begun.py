"""Half a mark may become anything yet: as little of it is shown as can be."""

from __future__ import annotations

import pytest

from chat.entries import Batch
from chat.markdown.draft import shown
from tests.chat.following import cut


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("See [the *page*](https://x.exa", "<p>See the <em>page</em></p>\n"),
        ("See [the page](", "<p>See the page</p>\n"),
        ("- See ![it](https://x", "<ul>\n<li>See it</li>\n</ul>\n"),
        ("See [the page]", "<p>See [the page]</p>\n"),
        ("See [the page](no address", "<p>See [the page](no address</p>\n"),
        ("See [the page](https", "<p>See the page</p>\n"),
        ("array[i](h", "<p>array[i](h</p>\n"),
        ("\\[x](https://y", "<p>[x](https://y</p>\n"),
        ("`call [a](https://y", "<p>`call [a](https://y</p>\n"),
    ],
)
def test_where_a_link_leads_is_not_shown_before_it_is_one(text: str, html: str):
    log = cut(text, [7])

    assert shown(Batch(0, len(log), tuple(log)), "x").html == html


@pytest.mark.parametrize("begin", ["```\n", "See:\n\n    y = "])
def test_what_looks_like_half_a_link_stays_in_code(begin: str):
    log = cut(f"{begin}f [0](h", [3])

    assert "f [0](h" in shown(Batch(0, len(log), tuple(log)), "x").html


def test_a_note_has_its_number_from_its_first_line_on():
    log = cut("One[^1] and[^2].\n\n[^1]: First\n\n[^2]: Second", [5])

    html = shown(Batch(0, len(log), tuple(log)), "x").html
    assert '<div class="noted" id="note-x-1"><b>1</b>' in html
    assert '<div class="noted" id="note-x-2"><b>2</b>' in html
