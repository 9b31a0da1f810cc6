"""A reply while it is written: however its pieces are cut, the page comes to the same."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blueprints import frames
from chat.entries import Batch, Delta, Entry, Progress
from chat.markdown.block import MONSTROUS, Block
from chat.markdown.changes import Change
from chat.markdown.draft import Draft, shown
from chat.markdown.formulas import MOST, Room
from chat.markdown.rendering import render
from tests.chat.constructs import CONSTRUCTS
from tests.page import read
from tests.shown import Shown


class Reader:
    """A page that follows a reply, and counts what it is sent."""

    def __init__(self, after: int = 0, html: str = "") -> None:
        self.draft = Draft("x", after)
        self.page = Shown("x")
        self.page.reply.extend(list(read(f"<pre>{html}</pre>").pre.contents))
        self.sent = 0
        self.anew = 0

    def hear(self, log: Sequence[Entry], until: int) -> None:
        """Read the log up to an entry, and show it."""
        self.draft.read(Batch(0, until, tuple(log[:until])))
        self._change(self.draft.changes())

    def end(self, html: str) -> None:
        """Show the final HTML."""
        self._change(self.draft.changes_to(html) or ())

    def _change(self, changes: Sequence[Change]) -> None:
        self.sent += sum(len(change.html) for change in changes)
        self.anew += any((change.depth, change.swap) == (0, "innerHTML") for change in changes)
        self.page.change(read(frames.text(1, changes)))

    @property
    def html(self) -> str:
        """Return what the page shows."""
        return plain(self.page.reply.decode_contents())


def plain(html: str) -> str:
    """Leave out the white space between elements."""
    whole = read(f"<article>{html}</article>").article.decode_contents()
    return re.sub(r">\s+|\s+<", lambda found: found[0].strip(), whole).strip()


def cut(text: str, sizes: Sequence[int]) -> list[Entry]:
    """Make a log of a text, of pieces in these sizes, again and again."""
    log: list[Entry] = []
    while text:
        size = sizes[len(log) % len(sizes)]
        log.append(Delta(text[:size]))
        text = text[size:]
    return log


def follow(text: str, sizes: Sequence[int]) -> Reader:
    """Follow a reply to its end, looking at each piece."""
    reader = Reader()
    log = cut(text, sizes)
    for number in range(1, len(log) + 1):
        reader.hear(log, number)
        assert reader.html == plain(reader.draft.html)
    reader.end(render(text, "x"))
    return reader


@pytest.mark.parametrize("text", CONSTRUCTS)
@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_each_construct_comes_to_what_the_whole_render_says(text: str, size: int):
    assert follow(text, [size]).html == plain(render(text, "x"))


DOCUMENTS = st.builds(
    lambda joint, parts: joint.join(parts),
    st.sampled_from(["\n", "\n\n"]),
    st.lists(st.sampled_from(CONSTRUCTS), min_size=1, max_size=6),
)
SIZES = st.lists(st.integers(1, 40), min_size=1, max_size=8)


@settings(deadline=None, max_examples=40)
@given(DOCUMENTS, SIZES)
def test_documents_in_any_pieces_come_to_what_the_whole_render_says(text: str, sizes: list[int]):
    assert follow(text, sizes).html == plain(render(text, "x"))


@settings(deadline=None, max_examples=40)
@given(DOCUMENTS, SIZES, st.data())
def test_a_page_from_elsewhere_goes_on_from_its_cursor(text: str, sizes: list[int], data):
    log = cut(text, sizes)
    at = data.draw(st.integers(1, len(log)))
    page = shown(Batch(0, at, tuple(log[:at])), "x")

    reader = Reader(page.cursor, page.html)
    reader.hear(log, len(log))

    assert reader.html == plain(reader.draft.html)


@pytest.mark.parametrize("text", CONSTRUCTS)
def test_a_page_at_a_cursor_is_told_no_more_than_what_is_new(text: str):
    log = [Delta(f"Before.\n\n{text}\n\nAf"), Delta("ter.")]
    page = shown(Batch(0, 1, tuple(log[:1])), "x")

    reader = Reader(page.cursor, page.html)
    reader.hear(log, 2)

    assert (reader.anew, reader.sent) == (0, len("ter."))


LINE = "- item {} with some **words** and `code` that go on\n"
LONG = {
    "list": "".join(LINE.format(number) for number in range(400)),
    "code": "```python\n" + "    value = compute(other, 'text')  # step\n" * 300 + "```\n\nDone.",
    "prose": "\n\n".join(["A paragraph of some *length*, which says nothing at all. " * 8] * 40),
    "table": "a | b\n:-:|---\n" + "some *words* | and `code` here\n" * 400,
}


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_a_long_reply_is_sent_about_once(text: str):
    reader = follow(text, [150])

    assert reader.html == plain(render(text, "x"))
    assert reader.sent <= 3 * len(text)
    assert reader.anew == 1  # the first time


@pytest.mark.parametrize("text", CONSTRUCTS)
@pytest.mark.parametrize("size", [1, 7])
def test_a_block_that_is_rendered_in_parts_comes_to_the_same(
    text: str, size: int, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("chat.markdown.block.LONG", 1)
    assert follow(text, [size]).html == plain(render(text, "x"))


def test_what_is_closed_is_not_rendered_again(monkeypatch: pytest.MonkeyPatch):
    rendered: list[int] = []
    closed: list[int] = []
    html_of = Block._html_of

    def counting(block, source: str) -> str:
        rendered.append(len(source))
        return html_of(block, source)

    def closing(source: str, scope: str, room: Room) -> str:
        closed.append(len(source))
        return render(source, scope, room)

    monkeypatch.setattr("chat.markdown.block.Block._html_of", counting)
    monkeypatch.setattr("chat.markdown.block.render", closing)
    for text in LONG.values():
        rendered.clear()
        closed.clear()
        draft, log = Draft("x"), cut(text, [50])
        for number in range(1, len(log) + 1):
            draft.read(Batch(0, number, tuple(log[:number])))
            draft.changes()
        assert max(rendered) < 2_000
        assert sum(closed) <= len(text)


@pytest.mark.fault("F73")
def test_a_paragraph_without_end_is_soon_plain_text(monkeypatch: pytest.MonkeyPatch):
    rendered: list[int] = []
    html_of = Block._html_of

    def counting(block, source: str) -> str:
        rendered.append(len(source))
        return html_of(block, source)

    monkeypatch.setattr("chat.markdown.block.Block._html_of", counting)
    text = "".join(f"${number}+x$ " for number in range(6_000))
    log = cut(text, [1_000])
    assert shown(Batch(0, len(log), tuple(log)), "x").html.startswith("<pre>$0+x$ $1+x$ ")
    assert max(rendered, default=0) <= MONSTROUS


@pytest.mark.fault("F73")
@pytest.mark.parametrize("between", [" ", "\n\n", "\n- "])
def test_so_many_formulas_are_drawn_and_no_more(between: str):
    text = between.join(f"${number}+x$" for number in range(MOST + 100)) + "\n\nEnd"

    log = cut(text, [1_000])
    for html in (render(text, "x"), shown(Batch(0, len(log), tuple(log)), "x").html):
        assert html.count("<math") == MOST
        assert f"<code>${MOST + 99}+x$</code>" in html


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


def test_whoever_joins_late_renders_what_they_see_alone(monkeypatch: pytest.MonkeyPatch):
    log = cut("A paragraph that grows and $x$ grows. " * 30, [10])
    rendered: list[str] = []
    html_of = Block._html_of

    def counting(block, source: str) -> str:
        rendered.append(source)
        return html_of(block, source)

    monkeypatch.setattr("chat.markdown.block.Block._html_of", counting)
    shown(Batch(0, len(log), tuple(log)), "x")

    assert len(rendered) == 1


def test_progress_between_changes_nothing():
    reader = Reader()
    log = [Delta("One"), Progress("thinking"), Delta(" **two**")]
    for number in (1, 2, 3):
        reader.hear(log, number)

    assert reader.html == "<p>One<strong>two</strong></p>"


def test_what_is_too_deep_is_shown_as_it_is():
    text = "> " * 500 + "x"
    reader = follow(text, [40])

    assert reader.html == plain(render(text, "x"))
    assert "<blockquote>" not in reader.html


@pytest.mark.fault("F73")
@pytest.mark.parametrize("columns", [20, 90, 1_000])
def test_a_table_is_sent_about_once(columns: int):
    text = "|a" * columns + "|\n" + "|-" * columns + "|\n" + f"|{'b' * 20}\n" * 1_000
    draft, sent = Draft("x"), 0
    for number, piece in enumerate(cut(text, [300])):
        draft.read(Batch(number, number + 1, (piece,)))
        sent += sum(len(change.html) for change in draft.changes())

    assert sent < 2 * len(render(text))
