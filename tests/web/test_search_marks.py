"""Search hits are marked in the HTML of a message, and the rest is unchanged."""

from bs4 import BeautifulSoup

from twindow.chat.search.search import query_pattern
from twindow.rendering import render, render_message
from twindow.web.views.search_marks import mark_hits


def found(html: str, q: str) -> str:
    looked_for = query_pattern(q)
    assert looked_for
    return mark_hits(html, looked_for)


HITS = [
    ("The **sea** and the Sea", "sea", ["sea", "Sea"]),
    ("Émile & <b>émile</b>", "emile", ["Émile", "émile"]),
    ("a < b & c", "b c", ["b", "c"]),
    ("- one\n- two ones", "one", ["one", "ones"]),
    ("```python\nprint(sea)\n```", "sea", ["sea"]),
    ("[sea](https://sea.example/sea)", "sea", ["sea"]),
    ("東京の海", "海", ["海"]),
]


def test_hits_are_marked_and_the_text_is_unchanged():
    wrong = []
    for markdown, q, marks in HITS:
        html = render(markdown)
        page = BeautifulSoup(found(html, q), "html.parser")
        first = [each.name for each in page.select("[id=hit]")]
        if (
            [mark.get_text() for mark in page.select("mark")] != marks
            or first != ["mark"]
            or page.get_text() != BeautifulSoup(html, "html.parser").get_text()
        ):
            wrong.append((markdown, str(page)))

    assert wrong == []


def test_number_of_marks_is_limited():
    page = BeautifulSoup(found(render("sea " * 5_000), "sea"), "html.parser")

    assert len(page.select("mark")) == 100
    assert page.get_text().split() == ["sea"] * 5_000


def test_anchor_is_at_the_hit_that_the_snippet_shows():
    text = "\n\n".join(f"Paragraph {number} says **even** so" for number in range(300))
    page = BeautifulSoup(found(render(text), "paragraph even 237"), "html.parser")

    assert page.select_one("#hit").get_text() == "237"
    assert len(page.select("[id=hit]")) == 1
    assert len(page.select("mark")) == 100


def test_unmarkable_hit_has_its_anchor_at_the_beginning():
    for markdown in ("$\\text{the sea}$", "s**ea**", "Nothing"):
        html = render(markdown)
        assert found(html, "sea") == f'<span id="hit"></span>{html}'


def test_first_hit_gets_the_anchor_if_the_hit_of_the_snippet_cannot_be_located():
    html = mark_hits(
        f"<p>Straße {'word ' * 5_000}</p><p>a needle, a needle</p>", query_pattern("needle")
    )

    assert '<p>a <mark id="hit">needle</mark>, a <mark>needle</mark></p>' in html
    assert html.count('id="hit"') == 1


def test_hits_in_the_text_and_in_the_code_of_a_message_are_marked():
    page = BeautifulSoup(found(render_message("The sea:\n```\nsea(1)\n```"), "sea"), "html.parser")

    assert [mark.get_text() for mark in page.select("mark")] == ["sea", "sea"]
    assert page.select_one(".code mark")
