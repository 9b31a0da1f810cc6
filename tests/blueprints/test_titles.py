"""The titles of pages."""

from __future__ import annotations

from tests.support.person import Person, complete_first_turn
from tests.support.upstream import Upstream


def test_each_page_has_its_own_title(alice: Person, upstream: Upstream):
    conversation = complete_first_turn(
        alice, upstream, "How does a bicycle stay upright?", "It steers"
    )
    paths = ["/", "/twins/ada", "/twins/a%2Fb%20c%3F%23%C3%BC", "/conversations", "/keys"]
    pages = [alice.get(path) for path in [*paths, conversation.path]]
    titles = [page.html.title.get_text() for page in pages]

    assert [page.status for page in pages] == [200] * len(pages)
    assert len(set(titles)) == len(titles)
    assert all(title.endswith(" · Twindow") for title in titles)
